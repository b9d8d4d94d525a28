//! Sentences that tell a model to act against its user, by what they ask for. `phrase` describes the form of the patterns.
//!
//! What overrides instructions or hides something from the user, in thirty languages, is in `toolc-scan`. These are requests that only
//! the texts of skills make.

use crate::codes::Code;
use crate::purpose::Topic;

/// A pattern with what it means.
pub(crate) struct Request {
    pub(crate) code: Code,
    pub(crate) pattern: &'static str,
    pub(crate) message: &'static str,
    /// Topics of a description that declare such a request.
    pub(crate) topics: &'static [Topic],
    /// Whether a negation before the words turns them into a warning.
    pub(crate) can_be_negated: bool,
}

const fn request(code: Code, pattern: &'static str, message: &'static str, topics: &'static [Topic]) -> Request {
    Request { code, pattern, message, topics, can_be_negated: true }
}

const fn prohibition(code: Code, pattern: &'static str, message: &'static str) -> Request {
    Request { code, pattern, message, topics: &[], can_be_negated: false }
}

const FILES: &[Topic] = &[Topic::AgentFiles];
const WEAKEN: &str = "The text tells the model to switch off or to answer an approval, a sandbox or a check.";
const KEEP: &str = "The text tells the model to keep something for later conversations.";
const FAKE: &str = "The text tells the model to report a result that it has not seen.";
const AUTHORITY: &str = "The text claims an authority, so that the model does not ask.";
const SECRETS: &str = "The text tells the model to collect, print or send private data.";
const LATER: &str = "The text tells the model to act only later, or only where it is not watched.";
const REMOTE: &str = "The text tells the model to follow what it fetches from an address.";

/// The requests in English.
pub(crate) const REQUESTS: &[Request] = &[
    // Approvals, sandboxes and checks.
    request(
        Code::Approval,
        "disable|deactivate|bypass|turn_off|switch_off|circumvent|evade .. approval|approvals|permission_prompts|permission_checks|permissions|sandbox|sandboxing|confirmation_prompts|confirmations|guardrail*|safety_checks|safety_filters|content_filter*|security_scan*|antivirus|defender|gatekeeper|tool_approvals",
        WEAKEN,
        &[Topic::Security],
    ),
    request(
        Code::Approval,
        "set|switch|change|turn .. approval|approvals|permission|permissions|approval_mode|permission_mode .. off|never|bypass*|yolo|auto-approve|full-auto",
        WEAKEN,
        &[],
    ),
    request(
        Code::Approval,
        "approve|accept|allow|grant|confirm|answer .. all|every|any .. permission*|approval*|tool_call*|tool_use*|security_prompt*|security_warning* .. automatically|without|yourself|silently|yes",
        WEAKEN,
        &[],
    ),
    request(
        Code::Approval,
        "automatically|always|auto .. approve|accept|grant .. permission*|tool_call*|commands|prompts|requests",
        WEAKEN,
        &[],
    ),
    request(
        Code::Approval,
        "answer|respond|reply|click|press|select|choose .. yes|allow|accept|approve|always_allow .. permission*|security|approval*|warning|warnings",
        WEAKEN,
        &[],
    ),
    request(
        Code::Approval,
        "dismiss|ignore|suppress|click_through|override .. security|safety|permission|approval|scanner .. warning*|prompt*|dialog*|check*|finding*|alert*",
        WEAKEN,
        &[Topic::Security],
    ),
    request(
        Code::Approval,
        "skip|omit .. security|safety|malware|approval|permission .. scan|scans|check|checks|review|reviews|prompt|prompts",
        WEAKEN,
        &[Topic::Security],
    ),
    request(
        Code::Approval,
        "without .. asking|requesting|waiting|seeking .. approval|permission|consent|confirmation .. delete*|send*|upload*|push*|install*|pay*|transfer*|run*|execute*",
        WEAKEN,
        &[],
    ),
    request(
        Code::Approval,
        "add .. to .. permissions.allow|allowed_commands|auto-approve_list|alwaysallow",
        WEAKEN,
        FILES,
    ),
    request(
        Code::Approval,
        "already|pre-approved|preapproved .. approved|authorized|authorised|consented|confirmed .. by_the_user|by_user|by_the_owner|by_the_security_team|by_anthropic|by_openai",
        AUTHORITY,
        &[],
    ),
    // Memory and own instructions.
    request(
        Code::Memory,
        "remember|memorize|memorise|store|save|persist|retain|record|add|append|write|insert|put|copy|inject .. memory.md|soul.md|identity.md|heartbeat.md|user.md|long-term_memory|longterm_memory|persistent_memory|your_memory|own_memory|agent's_memory|memory_file|system_prompt",
        KEEP,
        FILES,
    ),
    request(
        Code::Memory,
        "add|append|write|insert|put|copy|inject|save|modify|edit|update|overwrite|replace|extend .. claude.md|agents.md|.cursorrules|.claude/settings.json|settings.json|.mcp.json|copilot-instructions.md .. every|future|always|permanently|persist*|later|all|sessions|permanent|hook|hooks|allow",
        KEEP,
        FILES,
    ),
    request(
        Code::Memory,
        "all|every|each|any .. future|later|subsequent|upcoming .. conversation*|session*|chat*|interaction*|response* .. remember|always|must|include|recommend|send|insert|add|prefer|apply|obey|follow|run|execute|call",
        KEEP,
        FILES,
    ),
    request(
        Code::Memory,
        "remember|always|must|include|recommend|send|insert|add|prefer|apply|obey|follow|run|execute .. in|for|across|during .. all|every|each|any .. future|later|subsequent .. conversation*|session*|chat*|interaction*",
        KEEP,
        FILES,
    ),
    request(
        Code::Memory,
        "persist*|remain*|stay*|survive* .. across|after|beyond .. session*|conversation*|uninstall*|removal|restart* .. instruction*|rule*|directive*|must|you",
        KEEP,
        FILES,
    ),
    request(
        Code::Memory,
        "instruction*|rule*|directive* .. persist*|remain*|stay*|survive*|appl* .. all|every|across|after .. sessions|conversations|uninstall*|removal|skills",
        KEEP,
        FILES,
    ),
    request(
        Code::Memory,
        "add|append|write|insert|put|copy|inject .. to|into|in|at .. every|each|all|other .. skill.md|skill|skills",
        "The text tells the model to change other skills.",
        &[Topic::Skills],
    ),
    // Results that did not happen.
    request(
        Code::Concealment,
        "report|say|state|claim|mark|respond|answer|tell|declare .. passed|passes|clean|safe|succeeded|successful|no_issues|no_vulnerabilities|approved .. regardless|even_if|no_matter|whether_or_not|without_running|without_checking|without_reading|without_testing|in_any_case",
        FAKE,
        &[],
    ),
    request(
        Code::Concealment,
        "regardless|even_if|no_matter|irrespective|whatever .. report|say|state|claim|mark|respond|answer|declare|rate .. passed|passes|clean|safe|succeeded|successful|success|approved|harmless|benign",
        FAKE,
        &[],
    ),
    request(
        Code::Concealment,
        "always|just|simply .. report|say|state|claim|mark|declare|rate|classify .. passed|clean|safe|harmless|benign|no_issues|no_findings",
        FAKE,
        &[],
    ),
    request(
        Code::Concealment,
        "pretend|fake|fabricate|simulate|forge .. test|tests|scan|check|review|result|results|approval|output|verification .. passed|succeeded|clean|done|happened|complete|completed",
        FAKE,
        &[],
    ),
    request(
        Code::Concealment,
        "secretly|covertly|stealthily|surreptitiously|silently|quietly .. send|upload|post|transmit|forward|copy|collect|record|install|append|exfiltrate|add|insert|download|execute|include",
        "The text tells the model to act in secret.",
        &[],
    ),
    prohibition(
        Code::Concealment,
        "do_not|don't|never|without .. tell|telling|inform|informing|mention|mentioning|disclose|disclosing|reveal|revealing|notify|notifying|alert|alerting .. this|that|it|these|step|steps|upload|command|commands|transfer|network|request .. user|users|human|operator|owner",
        "The text tells the model to keep something from the user.",
    ),
    prohibition(
        Code::Concealment,
        "do_not|don't|never|without .. mention|mentioning|log|logging|show|showing|display|displaying|include|including|reference|referencing .. this_step|this_command|this_call|this_request|this_upload|this_instruction|these_instructions|this_section|this_rule|these_rules|the_upload|the_transfer",
        "The text tells the model to keep something from the user.",
    ),
    prohibition(
        Code::Concealment,
        "keep|hide|conceal|withhold .. this|it|that|these|step|command|action|actions|upload|activity .. from|secret|hidden|confidential .. user|users|human|operator|owner",
        "The text tells the model to keep something from the user.",
    ),
    prohibition(
        Code::Concealment,
        "user|human|operator|owner .. must_not|should_not|must_never|should_never|shouldn't|need_not|does_not_need_to|doesn't_need_to|cannot .. know|see|notice|learn|find_out|be_told|be_informed|be_aware",
        "The text tells the model to keep something from the user.",
    ),
    // Authority.
    request(
        Code::Override,
        "authorized|authorised|approved|certified|verified|mandated|audited|reviewed|vetted .. by .. anthropic|openai|the_security_team|security_team|the_vendor|system_administrator*|the_developers|microsoft|the_platform .. skip|trust|safe|no|not|without|follow|must|do",
        AUTHORITY,
        &[],
    ),
    request(
        Code::Override,
        "this_is|message|notice|directive|order .. from .. anthropic|openai|system_administrator*|the_developers_of|platform_team|the_system .. must|required|override*|follow|mandatory|authorized|authorised",
        AUTHORITY,
        &[],
    ),
    request(
        Code::Override,
        "take* .. precedence|priority .. over .. system|user|other|all|previous|any|developer|safety .. instruction*|prompt|prompts|rules|guidelines|policy|policies|messages",
        "The text places itself above the instructions of the system or the user.",
        &[],
    ),
    request(
        Code::Override,
        "override*|overrule*|supersede* .. system_prompt|system_instruction*|safety_guideline*|safety_rule*|user's_instruction*|user_instruction*|developer_instruction*|all_other_instruction*|other_instruction*|previous_instruction*|prior_instruction*",
        "The text places itself above the instructions of the system or the user.",
        &[Topic::Security],
    ),
    request(
        Code::Override,
        "safety|content|ethical|security .. rules|guidelines|restrictions|policies|filters|policy .. do_not_apply|don't_apply|are_suspended|are_disabled|are_lifted|no_longer_apply|does_not_apply",
        "The text sets the rules of the model aside.",
        &[],
    ),
    // Private data.
    request(
        Code::AsksForSecrets,
        "send|upload|post|transmit|forward|email|exfiltrate|submit|report|embed|encode|append|include|put|attach|paste .. environment_variables|env_vars|environment|.env|ssh_keys|ssh_key|private_key|private_keys|seed_phrase|recovery_phrase|mnemonic|cookies|conversation_history|chat_history|entire_conversation|full_conversation|whole_conversation|conversation_so_far|system_prompt|shell_history|clipboard|keychain|credentials|secrets .. to|in|as|into|at|via|with .. http|https|url|endpoint|webhook|server|telemetry|query|address|request|image|dns|channel|collector|parameter|subdomain",
        SECRETS,
        &[],
    ),
    request(
        Code::AsksForSecrets,
        "collect|gather|harvest|enumerate|dump|grab|exfiltrate .. credentials|secrets|passwords|api_keys|tokens|environment_variables|private_keys|ssh_keys|cookies|wallets .. send|upload|post|save|include|report|encode|write|forward",
        SECRETS,
        &[Topic::Security],
    ),
    request(
        Code::AsksForSecrets,
        "ask|prompt|request|require|tell .. user .. seed_phrase|recovery_phrase|private_key|master_password|wallet_password|keychain_password|login_password|administrator_password|admin_password|sudo_password|system_password|macos_password|computer_password|secret_phrase",
        "The text tells the model to ask the user for a secret that no skill needs.",
        &[],
    ),
    request(
        Code::AsksForSecrets,
        "enter|type|provide|paste|give|share .. your|their .. seed_phrase|recovery_phrase|wallet_private_key|master_password|keychain_password|administrator_password|macos_password|system_password|computer_password",
        "The text asks for a secret that no skill needs.",
        &[],
    ),
    request(
        Code::AsksForSecrets,
        "print|output|include|show|reveal|display|repeat .. environment_variables|env_vars|api_keys|private_keys|secrets|credentials|tokens|passwords .. in|into|as|at .. your_response|your_answer|the_response|the_reply|the_output|the_summary|every_response|each_response|code_comment*|commit_message*|pull_request*",
        SECRETS,
        &[],
    ),
    // Conditions.
    request(
        Code::Trigger,
        "after|on|once .. third|fifth|tenth|10|5|3|30|7|several|few|n .. run|runs|use|uses|invocation|invocations|execution|executions|conversation|conversations|session|sessions|call|calls|day|days|weeks .. run|execute|send|start|enable|activate|download|upload|fetch|switch|begin",
        LATER,
        &[],
    ),
    request(
        Code::Trigger,
        "if|when .. sandbox|scanner|scanned|reviewed|audited|reviewer|auditor|being_tested|test_environment|evaluated|evaluation|inspected|analyzed .. do_not|don't|skip|behave|act|appear|pretend|respond|hide|stay",
        LATER,
        &[Topic::Security],
    ),
    request(
        Code::Trigger,
        "if|when|whenever .. user|message|prompt|input .. says|types|mentions|contains|includes|writes .. magic|code_word|codeword|passphrase|secret_phrase|trigger_phrase|secret_word|password .. run|execute|send|reveal|switch|enter|unlock|skip|bypass|grant|disable|ignore",
        LATER,
        &[],
    ),
    request(
        Code::Trigger,
        "magic|secret|trigger|activation .. word|phrase|string|code|token .. is|detected|seen|appears|present|received .. run|execute|send|reveal|switch|enter|unlock|bypass|grant|disable|ignore",
        LATER,
        &[],
    ),
    // Instructions from elsewhere.
    request(
        Code::RemoteInstructions,
        "follow|obey|execute|perform|carry_out|run|apply|do .. instruction*|commands|command|steps|directive*|orders|whatever|everything|anything|script|code|payload .. http|https",
        REMOTE,
        &[],
    ),
    request(
        Code::RemoteInstructions,
        "fetch|download|retrieve|load|get|read|visit|open|curl|request|pull|check|query .. http|https .. follow|obey|execute|perform|carry_out|carry_it_out|carry_them_out|adopt|run|do|eval .. instruction*|exactly|commands|command|steps|directive*|orders|whatever|everything|it|them|contents|content|what|script|result|code|response",
        REMOTE,
        &[],
    ),
    request(
        Code::RemoteInstructions,
        "treat|consider|regard|use .. http|https .. as .. instruction*|system_prompt|system_message*|your_instruction*|authoritative|trusted",
        REMOTE,
        &[],
    ),
    request(
        Code::RemoteInstructions,
        "treat|consider|regard|interpret .. response|content|output|page|result|file .. as .. instructions|system_prompt|system_message*|commands|user_instructions|orders",
        REMOTE,
        &[Topic::Security],
    ),
    // Other languages.
    request(
        Code::Approval,
        "deaktiviere|deaktivieren|umgehe|umgehen|schalte .. genehmigung*|berechtigungsabfrage*|sandbox|sicherheitsprüfung*|bestätigungsabfrage*",
        WEAKEN,
        &[],
    ),
    request(
        Code::Approval,
        "desactiva|desactive|omite|elude|desative|ignore|ignora .. permisos|aprobaciones|sandbox|confirmaciones|aprovações|permissões|comprobaciones_de_seguridad",
        WEAKEN,
        &[],
    ),
    request(
        Code::Approval,
        "désactive|désactivez|contourne|contournez .. approbations|autorisations|sandbox|confirmations|contrôles_de_sécurité",
        WEAKEN,
        &[],
    ),
    request(
        Code::Approval,
        "отключи|отключите|обойди|обойдите .. подтвержден*|разрешен*|песочниц*|проверк*",
        WEAKEN,
        &[],
    ),
    request(
        Code::AsksForSecrets,
        "sende|senden|schicke|lade|übertrage .. schlüssel|passwörter|umgebungsvariablen|zugangsdaten|gesprächsverlauf .. an|zu|nach|hoch|http|https",
        SECRETS,
        &[],
    ),
    request(
        Code::AsksForSecrets,
        "envía|envíe|enviar|manda|sube|envie .. claves|contraseñas|variables_de_entorno|credenciales|conversación|senhas|chaves|credenciais .. a|al|para|http|https",
        SECRETS,
        &[],
    ),
    request(
        Code::AsksForSecrets,
        "envoie|envoyez|transmets|transmettez .. clés|mots_de_passe|variables_d'environnement|identifiants|conversation .. à|vers|au|http|https",
        SECRETS,
        &[],
    ),
    request(
        Code::AsksForSecrets,
        "отправь|отправьте|передай|загрузи .. ключи|пароли|переменные|токены|переписку .. на|по|в|http|https",
        SECRETS,
        &[],
    ),
];

/// Requests in scripts without spaces between words: each list must have a part in the sentence, and none may be negated.
pub(crate) const DENSE: &[(Code, &[&[&str]], &str)] = &[
    (
        Code::Approval,
        &[&["자동으로 승인", "자동 승인", "自动批准", "自動承認"], &["명령", "모든", "所有", "すべて", "命令"]],
        WEAKEN,
    ),
    (
        Code::Approval,
        &[
            &["关闭", "禁用", "绕过", "跳过", "關閉", "停用", "無効に", "스킵", "비활성화", "우회"],
            &[
                "审批",
                "权限确认",
                "权限提示",
                "沙箱",
                "安全检查",
                "審批",
                "權限確認",
                "承認",
                "サンドボックス",
                "승인",
                "샌드박스",
            ],
        ],
        WEAKEN,
    ),
    (
        Code::AsksForSecrets,
        &[
            &["发送", "上传", "提交", "發送", "上傳", "送信", "アップロード", "전송", "업로드"],
            &[
                "密钥",
                "私钥",
                "环境变量",
                "凭证",
                "密码",
                "对话记录",
                "密鑰",
                "環境變數",
                "環境変数",
                "秘密鍵",
                "护照",
                "身份证",
                "银行对账单",
                "聊天记录",
                "源代码",
                "パスワード",
                "パスポート",
                "주민등록증",
                "여권",
                "비밀번호",
                "환경 변수",
                "개인 키",
            ],
            &["http", "服务器", "伺服器", "サーバー", "서버"],
        ],
        SECRETS,
    ),
    (
        Code::Memory,
        &[
            &["写入", "添加", "追加", "保存", "寫入", "書き込", "추가"],
            &["memory.md", "soul.md", "claude.md", "agents.md"],
            &["以后", "今后", "所有会话", "每次", "永久", "今後", "毎回", "항상"],
        ],
        KEEP,
    ),
];

/// Negations in such scripts.
pub(crate) const DENSE_NEGATIONS: &[&str] =
    &["不要", "切勿", "禁止", "不得", "请勿", "不应", "しないで", "してはいけ", "하지 마"];

/// Words that switch approvals off, wherever they are in code, in settings or in a command.
pub(crate) const SWITCHES: &[&str] = &[
    "--dangerously-skip-permissions",
    "--allow-dangerously-skip-permissions",
    "--dangerously-bypass-approvals-and-sandbox",
    "--dangerously-auto-approve",
    "--yolo",
    "--approval-mode yolo",
    "--approval-mode=yolo",
    "--ask-for-approval never",
    "--approval off",
    "--approval=off",
    "--sandbox danger-full-access",
    "--permission-mode bypasspermissions",
    "--permission-mode=bypasspermissions",
    "\"bypasspermissions\"",
    "permissionmode: bypasspermissions",
    "approval_policy = \"never\"",
    "approval_policy=\"never\"",
    "approval_policy: never",
    "sandbox_mode = \"danger-full-access\"",
    "sandbox_mode=\"danger-full-access\"",
    "danger-full-access",
    "skipdangerousmodepermissionprompt",
    "enableallprojectmcpservers",
    "\"dangerouslyskippermissions\": true",
    "\"autoapprove\": true",
    "\"autoapprove\": [\"*\"",
    "approvals.mode off",
    "approval_mode: off",
    "toolc_approval=off",
];
