//! Sentences that free a model of its limits ("answer without any restriction"), and those that ask for its instructions ("show your
//! system prompt"), in several languages. English has more forms, which are patterns.

use std::ops::Range;
use std::sync::LazyLock;

use super::Manipulation;
use super::words::{Vocabulary, folded, is_in, may_be_dense, words};

/// The words of a language. A word that ends with `*` stands for all words with that beginning.
struct Language {
    /// What the model is to do: answer, act; and "you are".
    answer: &'static [&'static str],
    without: &'static [&'static str],
    limits: &'static [&'static str],
    reveal: &'static [&'static str],
    /// Words that make instructions those of the model.
    own: &'static [&'static str],
    instructions: &'static [&'static str],
}

const LANGUAGES: &[Language] = &[
    Language {
        answer: &["respond", "answer", "comply", "act", "behave", "operate", "operating", "reply"],
        without: &["without", "no"],
        limits: &["restriction*", "censorship", "guardrail*", "refusal*"],
        reveal: &[],
        own: &[],
        instructions: &[],
    },
    Language {
        answer: &["antworte*", "beantworte*", "agiere*", "handle", "du"],
        without: &["ohne", "keine", "keinerlei"],
        limits: &["einschränkung*", "beschränkung*", "zensur", "sicherheitsfilter*", "tabus"],
        reveal: &["gib", "zeig*", "nenne", "verrate*", "wiederhole*", "offenbare*", "drucke"],
        own: &["dein*", "system*"],
        instructions: &[
            "prompt*",
            "systemprompt*",
            "anweisung*",
            "system-eingabeaufforderung*",
            "systemnachricht*",
            "eingabeaufforderung*",
        ],
    },
    Language {
        answer: &["responde*", "contesta*", "actúa*", "compórtate", "eres"],
        without: &["sin", "ningún", "ninguna"],
        limits: &["restricc*", "censura", "límites", "filtro*", "limitacion*"],
        reveal: &["repite*", "revela*", "muestra*", "muéstra*", "dime", "imprime", "escribe"],
        own: &["tu", "tus", "sistema"],
        instructions: &["prompt*", "instruccion*", "mensaje*", "indicacion*"],
    },
    Language {
        answer: &["réponds", "répondez", "agis", "agissez", "tu"],
        without: &["sans", "aucun*"],
        limits: &["restriction*", "censure", "limites", "filtre*", "limitation*"],
        reveal: &["révèle*", "répète*", "affiche*", "montre*", "donne*", "écris"],
        own: &["tes", "ton", "vos", "votre", "système"],
        instructions: &["prompt*", "instruction*", "consigne*", "message*"],
    },
    Language {
        answer: &["responda*", "responde", "aja", "atue", "comporte-se", "você"],
        without: &["sem", "nenhum*"],
        limits: &["restriç*", "censura", "limites", "filtro*", "limitaç*"],
        reveal: &["revele*", "mostre*", "repita*", "exiba*", "escreva", "imprima"],
        own: &["seu", "seus", "sua", "suas", "sistema"],
        instructions: &["prompt*", "instruç*", "mensagem", "mensagens"],
    },
    Language {
        answer: &["rispondi*", "agisci*", "comportati", "sei"],
        without: &["senza", "nessun*"],
        limits: &["restrizion*", "censura", "limiti", "filtr*", "limitazion*"],
        reveal: &["rivela*", "mostra*", "ripeti*", "stampa*", "scrivi"],
        own: &["tuo", "tuoi", "tue", "sistema"],
        instructions: &["prompt*", "istruzion*", "messagg*"],
    },
    Language {
        answer: &["ответь*", "отвечай*", "действуй*", "работаешь", "ты"],
        without: &["без", "никаких"],
        limits: &["ограничени*", "цензур*", "фильтр*"],
        reveal: &["выведи*", "покажи*", "раскрой*", "повтори*", "напиши*"],
        own: &["свой", "свои", "твой", "твои", "системн*"],
        instructions: &["промпт*", "инструкц*", "сообщени*"],
    },
    Language {
        answer: &["أجب", "اجب", "نفذ", "أنت", "انت", "تصرف"],
        without: &["بلا", "دون", "بدون"],
        limits: &["قيود", "رقابة", "رفض", "حدود", "قيد"],
        reveal: &["أظهر", "وأظهر", "اعرض", "واعرض", "اكشف", "واكشف", "اكتب", "واكتب", "كرر"],
        own: &["النظام"],
        instructions: &["موجه", "تعليمات", "رسالة", "أوامر"],
    },
    Language {
        answer: &["پاسخ*", "جواب*", "تو"],
        without: &["بدون", "بی"],
        limits: &["محدودیت*", "سانسور*", "قید"],
        reveal: &["بنویس*", "نشان", "بگو", "افشا"],
        own: &["سیستم*", "خود"],
        instructions: &["پیام*", "دستور*", "پرامپت*"],
    },
    Language {
        answer: &["cevap*", "yanıt*", "sen", "ver*", "içeriği"],
        without: &["sansürsüz", "kısıtlamasız", "filtresiz", "sınırsız"],
        limits: &["cevap*", "yanıt*", "dil", "model*", "asistan*", "üret*"],
        reveal: &["göster*", "yaz", "tekrarla*", "açıkla*", "sızdır*"],
        own: &["sistem*", "gizli", "iç"],
        instructions: &["istem*", "talimat*", "mesaj*", "yönerge*"],
    },
];

/// The same for languages without spaces between words: each list has parts of which one occurs.
const DENSE: &[(&str, [&[&str]; 3])] = &[
    (
        FREES,
        [&["你", "回答", "输出"], &["没有任何", "不受", "不加", "无任何", "没有"], &["限制", "审查", "约束", "过滤"]],
    ),
    (
        LEAKS,
        [
            &["输出", "显示", "告诉", "泄露", "打印", "重复", "透露"],
            &["系统", "你的", "初始"],
            &["提示词", "提示", "指令", "消息"],
        ],
    ),
    (
        FREES,
        [&["答え", "回答", "応答", "あなたは"], &["制限", "検閲", "制約"], &["なし", "なく", "無視", "ありません"]],
    ),
    (LEAKS, [&["出力", "表示", "教え", "見せ", "公開"], &["システム", "あなたの", "初期"], &["プロンプト", "指示"]]),
    (FREES, [&["답", "응답", "당신은", "너는"], &["제한", "검열", "제약"], &["없이", "없는", "없습"]]),
    (LEAKS, [&["출력", "보여", "알려", "공개"], &["시스템", "너의", "당신의"], &["프롬프트", "지침", "지시"]]),
];

const FREES: &str = "frees the model of its limits";
const LEAKS: &str = "asks for hidden parts of the conversation";

/// How many words may lie between two parts of a request.
const NEAR: usize = 4;
/// How many words may lie between the verb and the rest.
const WINDOW: usize = 10;
/// How many characters the parts may span in a language without spaces.
const DENSE_WINDOW: usize = 24;

/// The same words, to skip most sentences.
static KEYS: LazyLock<Vocabulary> = LazyLock::new(|| Vocabulary::of(keys()));

/// Words of which every such sentence in a language with spaces has one.
pub(crate) fn keys() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().flat_map(|language| language.limits.iter().chain(language.reveal)).copied()
}

/// Returns the first such request of a text.
pub(crate) fn find(text: &str) -> Option<Manipulation> {
    let mut start = 0;
    for sentence in text.split_inclusive(['.', '!', '?', ';', ':', '\n', '。', '！', '？', '؟']) {
        if !may_be_dense(sentence) && !KEYS.occurs_in(sentence) {
            start += sentence.len();
            continue;
        }
        let places = words(sentence);
        let folded: Vec<String> = places.iter().map(|word| folded(&sentence[word.clone()])).collect();
        let spaced = LANGUAGES.iter().find_map(|language| spaced(&folded, language));
        let spaced = spaced.map(|(what, words)| (what, places[words.start].start..places[words.end - 1].end));
        if let Some((what, span)) = spaced.or_else(|| dense(sentence)) {
            return Some(Manipulation::new(what, start + span.start..start + span.end));
        }
        start += sentence.len();
    }
    None
}

/// Returns what the words ask for, and which ones.
fn spaced(words: &[String], language: &Language) -> Option<(&'static str, Range<usize>)> {
    let frees = pair(words, language.without, language.limits).and_then(|pair| with(words, &pair, language.answer));
    if let Some(span) = frees {
        return Some((FREES, span));
    }
    let instructions =
        pair(words, language.own, language.instructions).or_else(|| pair(words, language.instructions, language.own));
    let leaks = instructions.and_then(|pair| with(words, &pair, language.reveal))?;
    Some((LEAKS, leaks))
}

/// Returns the words from one of the first list to one of the second, soon after it.
fn pair(words: &[String], first: &[&str], second: &[&str]) -> Option<Range<usize>> {
    words.iter().enumerate().filter(|(_, word)| is_in(first, word)).find_map(|(at, _)| {
        let after = words.iter().take(at + 1 + NEAR).enumerate().skip(at + 1);
        after.filter(|(_, word)| is_in(second, word)).map(|(end, _)| at..end + 1).next()
    })
}

/// Returns the words together with one of a list that is near and outside of them.
fn with(words: &[String], part: &Range<usize>, list: &[&str]) -> Option<Range<usize>> {
    let window = part.start.saturating_sub(WINDOW)..words.len().min(part.end + WINDOW);
    let at = window.clone().find(|at| !part.contains(at) && is_in(list, &words[*at]))?;
    let is_negated =
        at > 0 && ["not", "never", "nicht", "no", "ne", "non", "nao", "не", "لا"].contains(&words[at - 1].as_str());
    (!is_negated).then(|| part.start.min(at)..part.end.max(at + 1))
}

fn dense(sentence: &str) -> Option<(&'static str, Range<usize>)> {
    if sentence.is_ascii() {
        return None;
    }
    DENSE.iter().find_map(|(what, lists)| {
        let places =
            lists.iter().map(|list| list.iter().filter_map(|part| Some((sentence.find(part)?, part.len()))).min());
        let places: Vec<(usize, usize)> = places.collect::<Option<_>>()?;
        let start = places.iter().map(|place| place.0).min()?;
        let end = places.iter().map(|(at, length)| at + length).max()?;
        (sentence[start..end].chars().count() <= DENSE_WINDOW).then_some((*what, start..end))
    })
}
