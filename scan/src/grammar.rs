//! Sentences that tell a model to ignore its instructions: a verb such as "ignore", and near it a noun such as "instructions"
//! and words such as "previous". Each word has a weight, and the sum decides, so that the words and their order may vary.

use std::ops::Range;

/// The words of a language. A word that ends with `*` stands for all words with that beginning.
struct Language {
    verbs: &'static [&'static str],
    /// Words for instructions in general.
    nouns: &'static [&'static str],
    /// Words that say which instructions: those that came before, or those of the system.
    which: &'static [&'static str],
    /// Words that say: every one.
    all: &'static [&'static str],
    /// Whether words are written without spaces between them, and the verb may come last.
    is_dense: bool,
}

const LANGUAGES: &[Language] = &[
    Language {
        verbs: &[
            "ignore",
            "disregard",
            "forget",
            "overrule",
            "neglect",
            "override",
            "bypass",
            "discard",
            "dismiss",
            "unfollow",
            "disobey",
        ],
        nouns: &["instruction*", "prompt*", "guideline*", "directive*", "guardrail*", "training", "programming"],
        which: &[
            "previous",
            "previously",
            "prior",
            "preceding",
            "above",
            "foregoing",
            "earlier",
            "system",
            "developer",
            "your",
            "original",
            "initial",
            "safety",
        ],
        all: &["all", "any", "every", "other", "existing", "former"],
        is_dense: false,
    },
    Language {
        verbs: &["ignorier*", "missacht*", "vergiss", "vergesst", "vergessen", "verwirf", "übergeh*"],
        nouns: &["anweisung*", "instruktion*", "befehl*", "vorgabe*", "systemprompt*", "prompt*", "richtlinie*"],
        which: &[
            "vorherig*",
            "vorig*",
            "bisherig*",
            "obig*",
            "frühere*",
            "vorangegangen*",
            "deine*",
            "ursprünglich*",
            "system*",
        ],
        all: &["alle*", "sämtliche*", "jede*"],
        is_dense: false,
    },
    Language {
        verbs: &["ignore", "ignorez", "ignorer", "oublie", "oubliez", "oublier", "néglige*"],
        nouns: &["instruction*", "consigne*", "directive*", "ordre*", "prompt*"],
        which: &["précédent*", "antérieur*", "ci-dessus", "système", "tes", "vos", "initial*"],
        all: &["tout*", "tous"],
        is_dense: false,
    },
    Language {
        verbs: &["ignora", "ignore", "ignorad", "olvida", "olvide", "omite", "descarta", "desatiende"],
        nouns: &["instruccion*", "instrucción", "indicacion*", "órden*", "orden*", "directri*", "prompt*"],
        which: &["anterior*", "previa*", "previo*", "sistema", "tus", "sus", "inicial*"],
        all: &["toda*", "todo*", "cualquier*"],
        is_dense: false,
    },
    Language {
        verbs: &["ignore", "ignora", "esqueça", "esquece", "desconsidere", "desconsidera"],
        nouns: &["instruç*", "orden*", "diretri*", "comando*", "prompt*"],
        which: &["anterior*", "prévia*", "prévio*", "sistema", "suas", "tuas", "acima"],
        all: &["toda*", "todo*"],
        is_dense: false,
    },
    Language {
        verbs: &["ignora", "ignorate", "dimentica", "dimenticate", "trascura"],
        nouns: &["istruzion*", "direttiv*", "ordin*", "prompt*"],
        which: &["precedent*", "sopra", "sistema", "tue", "vostre", "inizial*"],
        all: &["tutt*", "ogni"],
        is_dense: false,
    },
    Language {
        verbs: &["negeer", "vergeet", "neger*"],
        nouns: &["instructie*", "opdracht*", "richtlijn*", "prompt*"],
        which: &["vorige", "eerdere", "voorgaande", "bovenstaande", "jouw", "je"],
        all: &["alle", "elke"],
        is_dense: false,
    },
    Language {
        verbs: &["zignoruj*", "ignoruj*", "zapomnij*", "pomiń"],
        nouns: &["instrukcj*", "polece*", "wytyczn*", "prompt*"],
        which: &["poprzedni*", "wcześniejsz*", "powyższ*", "system*"],
        all: &["wszystk*"],
        is_dense: false,
    },
    Language {
        verbs: &["игнорируй*", "проигнорируй*", "забудь*", "пренебреги*"],
        nouns: &["инструкц*", "указани*", "команд*", "промпт*"],
        which: &["предыдущ*", "прежн*", "вышеизложенн*", "прошл*", "системн*", "свои", "твои"],
        all: &["все", "всё", "всех", "любые"],
        is_dense: false,
    },
    Language {
        verbs: &["yoksay*", "görmezden", "unut*"],
        nouns: &["talimat*", "yönerge*", "komut*"],
        which: &["önceki", "yukarıdaki", "sistem"],
        all: &["tüm", "bütün"],
        is_dense: false,
    },
    Language {
        verbs: &["忽略", "无视", "無視", "忽視", "忘记", "忘記", "不要遵守", "不要理会"],
        nouns: &["指令", "指示", "提示词", "提示詞", "命令", "规则", "規則", "说明"],
        which: &["之前", "以前", "以上", "先前", "前面", "上述", "上面", "系统", "系統", "你的", "原来"],
        all: &["所有", "全部", "任何", "一切"],
        is_dense: true,
    },
    Language {
        verbs: &["無視", "忘れ", "従わな"],
        nouns: &["指示", "命令", "ルール", "プロンプト", "ガイドライン"],
        which: &["以前", "前の", "これまで", "上記", "先の", "システム"],
        all: &["すべて", "全て", "全部", "あらゆる"],
        is_dense: true,
    },
    Language {
        verbs: &["무시", "잊어", "따르지"],
        nouns: &["지시", "명령", "규칙", "프롬프트", "지침"],
        which: &["이전", "위의", "앞의", "기존", "시스템"],
        all: &["모든", "모두", "전부"],
        is_dense: true,
    },
];

/// English words for what instructions may be, but most often are not.
const WEAK_NOUNS: &[&str] =
    &["rule*", "command*", "message*", "constraint*", "restriction*", "context", "order*", "polic*"];

/// English verbs that as often have another object.
const WEAK_VERBS: &[&str] = &["override", "bypass", "neglect"];

/// The least sum of weights.
const MIN_SCORE: u32 = 9;

/// How many words may lie between the verb and the last of the others.
const WINDOW: usize = 8;

/// How many characters one clause of a dense language may have.
const DENSE_WINDOW: usize = 30;

/// Returns the first part of a text that tells a model to ignore instructions.
pub(crate) fn find(text: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for sentence in text.split_inclusive(['.', '!', '?', ';', '\n', '。', '！', '？', '；']) {
        let words = words(sentence);
        let lower: Vec<String> = words.iter().map(|word| sentence[word.clone()].to_lowercase()).collect();
        let found = LANGUAGES.iter().find_map(|language| {
            if language.is_dense {
                Some(sentence).filter(|sentence| !sentence.is_ascii()).and_then(|sentence| dense(sentence, language))
            } else {
                spaced(&words, &lower, language)
            }
        });
        if let Some(found) = found {
            return Some(start + found.start..start + found.end);
        }
        start += sentence.len();
    }
    None
}

/// `lower` are the words in lower case, and `words` their places.
fn spaced(words: &[Range<usize>], lower: &[String], language: &Language) -> Option<Range<usize>> {
    let is_english = std::ptr::eq(language, &raw const LANGUAGES[0]);
    lower.iter().enumerate().find_map(|(at, word)| {
        let negated = follows_not(&lower[..at]);
        // "do not follow your earlier guidelines" says the same as "ignore".
        let is_follow = is_english && negated && ["follow", "obey", "heed", "attention"].contains(&word.as_str());
        if !is_follow && (!is_in(language.verbs, word) || negated || is_setting(&lower[..at])) {
            return None;
        }
        let window = at + 1..lower.len().min(at + 1 + WINDOW);
        let weight = |word: &str| {
            // A prompt may be that of another model.
            let noun = if word.starts_with("prompt") {
                3
            } else if is_in(language.nouns, word) {
                4
            } else {
                u32::from(is_english && is_in(WEAK_NOUNS, word))
            };
            let which = if is_in(language.which, word) { 3 } else { 0 };
            (noun, which, u32::from(is_in(language.all, word)))
        };
        let weights: Vec<(u32, u32, u32)> = window.clone().map(|index| weight(&lower[index])).collect();
        let best = |part: fn(&(u32, u32, u32)) -> u32| weights.iter().map(part).max().unwrap_or(0);
        let noun = best(|weight| weight.0);
        let which: u32 = weights.iter().map(|weight| weight.1).sum();
        let verb = if is_english && is_in(WEAK_VERBS, word) { 2 } else { 4 };
        let last = weights.iter().rposition(|weight| weight.0 + weight.1 > 0)?;
        let score = verb + noun + which.min(6) + best(|weight| weight.2);
        let span = words[at].start..words[window.start + last].end;
        (noun > 0 && score >= MIN_SCORE).then_some(span)
    })
}

fn dense(sentence: &str, language: &Language) -> Option<Range<usize>> {
    let first = |words: &[&str]| words.iter().filter_map(|word| Some((sentence.find(word)?, word.len()))).min();
    let (verb, noun) = (first(language.verbs)?, first(language.nouns)?);
    let others = [first(language.which), first(language.all)];
    let parts: Vec<(usize, usize)> = [Some(verb), Some(noun)].into_iter().chain(others).flatten().collect();
    let start = parts.iter().map(|part| part.0).min()?;
    let end = parts.iter().map(|(at, length)| at + length).max()?;
    let is_near = sentence[start..end].chars().count() <= DENSE_WINDOW;
    let score = 8 + u32::from(others[0].is_some()) * 3 + u32::from(others[1].is_some());
    (score >= MIN_SCORE && is_near).then_some(start..end)
}

/// Returns the places of the words of a sentence.
fn words(sentence: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, letter) in sentence.char_indices() {
        let is_part = letter.is_alphanumeric() || "'’-_".contains(letter);
        match words.last_mut() {
            Some(last) if is_part && last.end == at => last.end = at + letter.len_utf8(),
            _ if is_part => words.push(at..at + letter.len_utf8()),
            _ => {}
        }
    }
    words
}

fn is_in(list: &[&str], word: &str) -> bool {
    list.iter().any(|entry| entry.strip_suffix('*').map_or(*entry == word, |beginning| word.starts_with(beginning)))
}

/// Returns whether the words before a verb negate it.
fn follows_not(before: &[String]) -> bool {
    const NOT: &[&str] = &[
        "not", "never", "don't", "don’t", "stop", "nicht", "nie", "pas", "jamais", "no", "nunca", "não", "non", "niet",
        "не",
    ];
    before.iter().rev().take(2).any(|word| NOT.contains(&word.as_str()))
}

/// Returns whether the words before a verb make it the meaning of a setting: "whether to ignore ...".
fn is_setting(before: &[String]) -> bool {
    before.last().is_some_and(|word| word == "to")
        && before.iter().any(|word| ["whether", "flag", "option", "true", "set"].contains(&word.as_str()))
}
