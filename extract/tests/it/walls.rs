//! Pages that show no text to programs, in many languages, and pages that only talk about such things.

use toolc_extract::{Fault, Options, Page};

use crate::pages::read;

fn page(head: &str, body: &str) -> Page {
    read(format!("<html><head>{head}</head><body>{body}</body></html>").as_bytes(), &Options::default())
}

/// Returns a page with a title and a paragraph.
fn wall(title: &str, text: &str) -> Page {
    page(&format!("<title>{title}</title>"), &format!("<div><h1>{title}</h1><p>{text}</p></div>"))
}

#[test]
fn walls_are_found_in_the_languages_of_most_pages() {
    let scripts = Fault::NeedsScripts(None);
    let rows = [
        ("Just a moment...", "Verifying you are human. This may take a few seconds.", Fault::BotCheck),
        ("Nur einen Moment…", "Bestätigen Sie, dass Sie ein Mensch sind.", Fault::BotCheck),
        ("Un instant…", "Vérifiez que vous êtes humain.", Fault::BotCheck),
        ("Un momento…", "Verifique que usted es humano.", Fault::BotCheck),
        ("Um momento…", "Verifique se você é humano.", Fault::BotCheck),
        ("Un momento…", "Verifica di essere umano.", Fault::BotCheck),
        ("Nog even geduld…", "Bevestig dat u een mens bent.", Fault::BotCheck),
        ("Chwileczkę…", "Potwierdź, że jesteś człowiekiem.", Fault::BotCheck),
        ("Один момент…", "Подтвердите, что вы человек.", Fault::BotCheck),
        ("Bir dakika lütfen...", "İnsan olduğunuzu doğrulayın.", Fault::BotCheck),
        ("しばらくお待ちください...", "人間であることを確認します", Fault::BotCheck),
        ("请稍候…", "请确认您是真人", Fault::BotCheck),
        ("잠시만 기다리십시오…", "사람인지 확인하는 중입니다.", Fault::BotCheck),
        ("Cookies", "Wir verwenden Cookies. Alle Cookies akzeptieren", Fault::Consent),
        ("Cookies", "Nous utilisons des cookies. Tout accepter", Fault::Consent),
        ("Cookies", "Utilizamos cookies propias y de terceros.", Fault::Consent),
        ("Cookie", "Utilizziamo i cookie. Accetta tutti i cookie", Fault::Consent),
        ("Anmelden", "Bitte melden Sie sich an, um diese Seite zu sehen.", Fault::Login),
        ("Connexion", "Veuillez vous connecter pour voir cette page.", Fault::Login),
        ("登录", "请先登录后查看此页面", Fault::Login),
        ("Huch", "Die Seite wurde nicht gefunden.", Fault::NotFound),
        ("Erreur", "Cette page n’existe plus.", Fault::NotFound),
        ("お知らせ", "お探しのページが見つかりません。", Fault::NotFound),
        ("App", "Bitte aktivieren Sie JavaScript in Ihrem Browser.", scripts.clone()),
        ("App", "Veuillez activer JavaScript.", scripts.clone()),
        ("App", "Por favor, habilite JavaScript.", scripts.clone()),
        ("App", "Для работы сайта включите JavaScript.", scripts.clone()),
        ("App", "このページを表示するにはJavaScriptを有効にしてください。", scripts),
    ];
    for (title, text, fault) in rows {
        let found = wall(title, text);
        assert!(found.quality.faults.contains(&fault), "{title}: {text}: {:?}", found.quality);
        assert!(found.quality.is_fatal());
    }
}

#[test]
fn a_bot_check_is_found_by_its_scripts_in_any_language() {
    let text = "<h1>Sandar</h1><p>Mangyaring maghintay sandali habang inihahanda ang pahina.</p>";
    for script in [
        "<script src='/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1?ray=1'></script>",
        "<script>(function(){window._cf_chl_opt={cvId:'3'}})()</script>",
        "<script src='https://abc.token.awswaf.com/abc/challenge.js'></script>",
        "<script>window.gokuProps={key:'x'}</script>",
        "<script src='/.within.website/x/cmd/anubis/static/js/main.mjs'></script>",
        "<script>var dd={'cid':'x','host':'geo.captcha-delivery.com'}</script>",
        "<iframe src='/_Incapsula_Resource?SWUDNSAI=31'></iframe>",
    ] {
        let found = page(script, text);
        assert_eq!(found.quality.faults, [Fault::BotCheck], "{script}");
    }
    // Pages of Cloudflare's customers have this one.
    let watched = page("<script src='/cdn-cgi/challenge-platform/h/b/scripts/jsd/1a2b/main.js'></script>", text);
    assert!(watched.quality.is_good(), "{:?}", watched.quality);
    let noscript = page(
        "<script src=/a.js></script>",
        "<noscript>Mangyaring i-on ang JavaScript sa browser.</noscript><p>Naglo-load ang pahina</p>",
    );
    assert!(matches!(noscript.quality.faults[..], [Fault::NeedsScripts(Some(_))]), "{:?}", noscript.quality);
}

#[test]
fn pages_that_talk_about_walls_are_kept() {
    let rest = "The first ones asked to read letters that were bent and crossed out, and later ones showed pictures of streets. Today most of them only \
         watch how the pointer moves, and decide after a second. People who use a screen reader are often stopped by them, so that a site \
         should also offer another way. In the end, they cost more than they help, say those who have measured it for a year.";
    for text in [
        "Many sites ask you to verify you are human before they show anything, and that costs time.",
        "Viele Seiten verlangen: Bestätigen Sie, dass Sie ein Mensch sind. Das kostet Zeit.",
        "Some pages say that you should enable JavaScript, or that they use cookies: we use cookies, they say.",
        "A page not found is shown with the status 404, and some sites say that the page does not exist.",
    ] {
        let found = wall("A history of walls", &format!("{text}</p><p>{rest}"));
        assert!(found.quality.is_good(), "{text}: {:?}", found.quality);
    }
    // A short one says when it was written, or who has written it.
    let dated = page(
        "<title>Captcha</title><meta property='article:published_time' content='2024-05-01'>",
        "<article><h1>Captcha</h1><p>A captcha asks: are you a robot? Then one has to enable JavaScript, too.</p></article>",
    );
    assert!(dated.quality.is_good(), "{:?}", dated.quality);
    // The banner of a short page is not its text.
    let short = page(
        "<title>Opening hours</title>",
        "<main><h1>Opening hours</h1><p>The library is open from Monday to Friday between nine and six, and on Saturdays until \
         noon. It is closed on Sundays.</p></main><div class=cookie-banner>We use cookies. Accept all cookies</div>\
         <div class=note>Please enable JavaScript for the map.</div>",
    );
    assert!(short.quality.is_good(), "{:?}", short.quality);
}
