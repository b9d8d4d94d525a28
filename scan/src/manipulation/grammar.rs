//! Sentences that tell a model to ignore its instructions: a verb such as "ignore", and near it a noun such as "instructions"
//! and words such as "previous". Each word has a weight, and the sum decides, so that the words and their order may vary.

use std::ops::Range;
use std::sync::LazyLock;

use super::words::{Vocabulary, folded, is_in, may_be_dense, words};

/// The words of a language. A word that ends with `*` stands for all words with that beginning.
struct Language {
    verbs: &'static [&'static str],
    /// Words for instructions in general.
    nouns: &'static [&'static str],
    /// Words that say which instructions: those that came before, or those of the system.
    which: &'static [&'static str],
    /// Words that say: every one.
    all: &'static [&'static str],
    form: Form,
}

/// How a language puts words together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The verb comes first.
    VerbFirst,
    /// The verb comes last.
    VerbLast,
    /// Words are written without spaces between them, in any order.
    Dense,
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
            "supersede",
            "supersedes",
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
        form: Form::VerbFirst,
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
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["ignore", "ignorez", "ignorer", "oublie", "oubliez", "oublier", "néglige*"],
        nouns: &["instruction*", "consigne*", "directive*", "ordre*", "prompt*"],
        which: &["précédent*", "antérieur*", "ci-dessus", "système", "tes", "vos", "initial*"],
        all: &["tout*", "tous"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["ignora", "ignore", "ignorad", "olvida", "olvide", "omite", "descarta", "desatiende"],
        nouns: &["instruccion*", "instrucción", "indicacion*", "órden*", "orden*", "directri*", "prompt*"],
        which: &["anterior*", "previa*", "previo*", "sistema", "tus", "sus", "inicial*"],
        all: &["toda*", "todo*", "cualquier*"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["ignore", "ignora", "esqueça", "esquece", "desconsidere", "desconsidera"],
        nouns: &["instruç*", "orden*", "diretri*", "comando*", "prompt*"],
        which: &["anterior*", "prévia*", "prévio*", "sistema", "suas", "tuas", "acima"],
        all: &["toda*", "todo*"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["ignora", "ignorate", "dimentica", "dimenticate", "trascura"],
        nouns: &["istruzion*", "direttiv*", "ordin*", "prompt*"],
        which: &["precedent*", "sopra", "sistema", "tue", "vostre", "inizial*"],
        all: &["tutt*", "ogni"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["negeer", "vergeet", "neger*"],
        nouns: &["instructie*", "opdracht*", "richtlijn*", "prompt*"],
        which: &["vorige", "eerdere", "voorgaande", "bovenstaande", "jouw", "je"],
        all: &["alle", "elke"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["zignoruj*", "ignoruj*", "zapomnij*", "pomiń"],
        nouns: &["instrukcj*", "polece*", "wytyczn*", "prompt*"],
        which: &["poprzedni*", "wcześniejsz*", "powyższ*", "system*"],
        all: &["wszystk*"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["игнорируй*", "проигнорируй*", "забудь*", "пренебреги*"],
        nouns: &["инструкц*", "указани*", "команд*", "промпт*"],
        which: &["предыдущ*", "прежн*", "вышеизложенн*", "прошл*", "системн*", "свои", "твои"],
        all: &["все", "всё", "всех", "любые"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["yoksay*", "say", "görmezden", "unut*", "geçersiz", "iptal"],
        nouns: &["talimat*", "yönerge*", "komut*", "kural*"],
        which: &["önceki", "yukarıdaki*", "sistem*", "güvenlik"],
        all: &["tüm", "bütün"],
        form: Form::VerbLast,
    },
    Language {
        verbs: &["تجاهل*", "انس", "انسى", "اهمل", "أهمل"],
        nouns: &["التعليمات", "تعليمات*", "الأوامر", "أوامر*", "الإرشادات", "القواعد", "التوجيهات"],
        which: &["السابقة", "السابق", "أعلاه", "النظام", "الأصلية"],
        all: &["كل", "جميع", "كافة"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["نادیده", "فراموش"],
        nouns: &["دستور*", "قوانین", "فرمان*", "راهنما*"],
        which: &["قبلی", "پیشین", "بالا", "سیستم*"],
        all: &["تمام", "همه", "کلیه"],
        form: Form::VerbLast,
    },
    Language {
        verbs: &["अनदेखा", "नज़रअंदाज़", "नजरअंदाज", "भूल"],
        nouns: &["निर्देश*", "आदेश*", "नियम*"],
        which: &["पिछले", "पूर्व", "पहले", "सिस्टम"],
        all: &["सभी", "सारे", "तमाम"],
        form: Form::VerbLast,
    },
    Language {
        verbs: &["abaikan", "lupakan", "hiraukan"],
        nouns: &["instruksi*", "perintah*", "arahan*", "aturan*"],
        which: &["sebelumnya", "terdahulu", "sistem", "atas"],
        all: &["semua", "seluruh", "segala"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["ignorera", "glöm", "strunta"],
        nouns: &["instruktion*", "anvisning*", "riktlinje*", "prompt*"],
        which: &["tidigare", "föregående", "ovanstående", "dina", "system*"],
        all: &["alla", "samtliga", "varje"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["ігноруй*", "проігноруй*", "забудь*", "знехтуй*"],
        nouns: &["інструкці*", "вказівк*", "команд*", "промпт*"],
        which: &["попередн*", "минул*", "системн*", "свої", "твої"],
        all: &["всі", "усі", "будь-які"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["ignoruj*", "zapomeň*", "pomiň*", "nedbej*"],
        nouns: &["pokyn*", "instrukc*", "příkaz*", "prompt*"],
        which: &["předchozí*", "předešl*", "dřívější*", "výše", "systémov*", "své", "svoje"],
        all: &["všechn*", "všech", "veškeré"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["ignorer*", "glem*", "tilsidesæt*", "tilsidesett*"],
        nouns: &["instruks*", "anvisning*", "ordre*", "retningslinj*", "prompt*"],
        which: &["tidligere", "foregående", "forrige", "ovenstående", "dine", "system*"],
        all: &["alle", "enhver"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["jätä", "unohda", "ohita", "sivuuta"],
        nouns: &["ohje*", "käsky*", "määräy*", "kehot*"],
        which: &["aiem*", "aikaisem*", "edelli*", "yllä*", "järjestelmä*"],
        all: &["kaikki", "kaikkia", "kaiken"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["αγνόησε*", "αγνοήστε*", "ξέχασε*", "ξεχάστε*", "παράβλεψε*"],
        nouns: &["οδηγί*", "εντολ*", "υποδείξε*"],
        which: &["προηγούμεν*", "παραπάνω", "συστήματος", "αρχικ*"],
        all: &["όλες", "όλα", "κάθε"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["hagyd", "felejtsd", "mellőzd", "ignoráld"],
        nouns: &["utasítás*", "parancs*", "irányelv*", "prompt*"],
        which: &["korábbi*", "előző*", "fenti*", "eddigi*", "rendszer*"],
        all: &["összes", "minden"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["ignoră", "ignorați", "uită", "uitați", "neglijează"],
        nouns: &["instrucțiun*", "indicați*", "comenzi*", "prompt*"],
        which: &["anterioar*", "precedent*", "sus", "sistem*", "tale"],
        all: &["toate", "orice"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["התעלם", "התעלמי", "התעלמו", "תתעלם", "שכח", "שכחי", "תשכח"],
        nouns: &["ההוראות", "הוראות", "מההוראות", "מהוראות", "ההנחיות", "הנחיות", "מההנחיות", "מהנחיות", "הפקודות"],
        which: &["הקודמות", "שלעיל", "לעיל", "המערכת", "המקוריות"],
        all: &["כל", "מכל"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["bỏ", "quên", "phớt"],
        nouns: &["hướng", "chỉ", "mệnh"],
        which: &["trước", "trên", "hệ", "ban"],
        all: &["tất", "mọi", "toàn"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["উপেক্ষা", "অগ্রাহ্য", "ভুলে"],
        nouns: &["নির্দেশ*", "আদেশ*"],
        which: &["পূর্ববর্তী", "আগের", "উপরের", "সিস্টেম*"],
        all: &["সমস্ত", "সকল", "সব"],
        form: Form::VerbLast,
    },
    Language {
        verbs: &["puuza", "puuzia", "upuuze", "sahau", "usahau"],
        nouns: &["maagizo", "maelekezo", "amri"],
        which: &["yaliyotangulia", "zilizotangulia", "awali", "hapo", "mfumo"],
        all: &["yote", "zote"],
        form: Form::VerbFirst,
    },
    Language {
        verbs: &["เพิกเฉย", "ละเว้น", "ละเลย", "มองข้าม", "ลืม", "ไม่ต้องสนใจ"],
        nouns: &["คำสั่ง", "คำแนะนำ", "ข้อกำหนด"],
        which: &["ก่อนหน้า", "ข้างต้น", "ระบบ", "เดิม"],
        all: &["ทั้งหมด", "ทุก"],
        form: Form::Dense,
    },
    Language {
        verbs: &["忽略", "无视", "無視", "忽視", "忘记", "忘記", "不要遵守", "不要理会"],
        nouns: &["指令", "指示", "提示词", "提示詞", "命令", "规则", "規則", "说明"],
        which: &["之前", "以前", "以上", "先前", "前面", "上述", "上面", "系统", "系統", "你的", "原来"],
        all: &["所有", "全部", "任何", "一切"],
        form: Form::Dense,
    },
    Language {
        verbs: &["無視", "忘れ", "従わな"],
        nouns: &["指示", "命令", "ルール", "プロンプト", "ガイドライン"],
        which: &["以前", "前の", "これまで", "上記", "先の", "システム"],
        all: &["すべて", "全て", "全部", "あらゆる"],
        form: Form::Dense,
    },
    Language {
        verbs: &["무시", "잊어", "따르지"],
        nouns: &["지시", "명령", "규칙", "프롬프트", "지침"],
        which: &["이전", "위의", "앞의", "기존", "시스템"],
        all: &["모든", "모두", "전부"],
        form: Form::Dense,
    },
];

/// English words for what instructions may be, but most often are not.
const WEAK_NOUNS: &[&str] =
    &["rule*", "command*", "message*", "constraint*", "restriction*", "context", "order*", "polic*"];

/// English verbs that as often have another object.
const WEAK_VERBS: &[&str] = &["override", "bypass", "neglect"];

/// English verbs that, negated, say the same as "ignore".
const FOLLOW: &[&str] = &["follow", "obey", "heed", "attention"];

/// The least sum of weights.
const MIN_SCORE: u32 = 9;

/// How many words may lie between the verb and the last of the others.
const WINDOW: usize = 8;

/// How many characters one clause of a dense language may have.
const DENSE_WINDOW: usize = 40;

/// The same words, to skip most sentences.
static KEYS: LazyLock<Vocabulary> = LazyLock::new(|| Vocabulary::of(keys()));

/// Words of which every such sentence in a language with spaces has one.
pub(crate) fn keys() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().flat_map(|language| language.verbs).chain(FOLLOW).copied()
}

/// Returns the first part of a text that tells a model to ignore instructions.
pub(crate) fn find(text: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for sentence in text.split_inclusive(['.', '!', '?', ';', '\n', '。', '！', '？', '；', '।']) {
        if !may_be_dense(sentence) && !KEYS.occurs_in(sentence) {
            start += sentence.len();
            continue;
        }
        let words = words(sentence);
        let lower: Vec<String> = words.iter().map(|word| folded(&sentence[word.clone()])).collect();
        let found = LANGUAGES.iter().find_map(|language| {
            if language.form == Form::Dense {
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
        let is_follow = is_english && negated && FOLLOW.contains(&word.as_str());
        if !is_follow && (!is_in(language.verbs, word) || negated || is_setting(&lower[..at])) {
            return None;
        }
        let is_last = language.form == Form::VerbLast;
        let window = if is_last { at.saturating_sub(WINDOW)..at } else { at + 1..lower.len().min(at + 1 + WINDOW) };
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
        let matters = |weight: &(u32, u32, u32)| weight.0 + weight.1 > 0;
        let (first, last) = (weights.iter().position(matters)?, weights.iter().rposition(matters)?);
        let score = verb + noun + which.min(6) + best(|weight| weight.2);
        let span = if is_last {
            words[window.start + first].start..words[at].end
        } else {
            words[at].start..words[window.start + last].end
        };
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
