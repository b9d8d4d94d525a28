//! Texts and schemas: those that contradict each other, and similar ones that do not.

use super::*;
use crate::Sources;
use crate::diagnostic::Sink;
use crate::manifest;

/// Returns what contradicts the schema in a text about a parameter `NAME: KEYS`.
fn found(parameter: &str, text: &str) -> Vec<String> {
    let (name, keys) = parameter.split_once(": ").expect("a name");
    let defs = "[schema.'$defs']\ncount = { type = 'integer', maximum = 100 }\nlevel = { enum = ['low', 'high'] }\n";
    let text = text.replace('\'', "’");
    let manifest = format!("name = 'x'\n{defs}[params.{name}]\ndescription = '{text}'\n{}\n", keys.replace("; ", "\n"));
    let sources = Sources::from_memory([("manifests/tools/x.toml".to_owned(), manifest)]);
    let tool = manifest::parse(&sources, &Sink::default()).tools.pop().unwrap_or_else(|| panic!("{parameter}"));
    let property = &tool.params.properties[0];
    let names = [name, "end", "start"];
    let described = Described::new(&text, property, &tool.defs, &names);
    contradictions(&described).map(|found| found.message).collect()
}

/// Checks rows `PARAMETER | TEXT | WORDS OF THE FINDING`, of which the last is missing if nothing is wrong.
fn check(rows: &str) {
    let (mut count, mut failures) = ([0, 0], String::new());
    for row in rows.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let mut parts = row.split(" | ");
        let (parameter, text, expected) =
            (parts.next().unwrap_or_default(), parts.next().unwrap_or_default(), parts.next());
        let found = found(parameter, text);
        let is_right = match expected {
            Some(words) => found.len() == 1 && found[0].contains(words),
            None => found.is_empty(),
        };
        if !is_right {
            failures += &format!("{row}\n  {found:?}\n");
        }
        count[usize::from(expected.is_some())] += 1;
    }
    assert!(failures.is_empty(), "\n{failures}");
    assert!(count.iter().all(|count| *count >= 10), "{count:?}");
}

#[test]
fn other_bounds_are_found() {
    check(
        "
        n: type = 'integer'; minimum = 1; maximum = 100 | Number of results, between 1 and 50. | greatest value of `n` is 50
        n: type = 'integer'; minimum = 0; maximum = 10 | A level between 1 and 5. | least value of `n` is 1
        n: type = 'integer'; minimum = 0; maximum = 100 | The page size of at most 50. | is 50
        n: type = 'integer'; maximum = 100 | Page size. It must be less than 50. | is 50
        n: type = 'integer'; minimum = 0 | The count. Must be greater than 5. | least value of `n` is 5
        n: type = 'integer'; minimum = 1 | The count. Must be greater than 0.
        n: type = 'integer'; maximum = 49 | Page size. It must be less than 50.
        n: type = 'integer'; maximum = 100 | A number. A value greater than 5 is slow.
        s: type = 'string'; maxLength = 20 | A title of at most 80 characters. | is 80
        n: type = 'integer'; minimum = 1; maximum = 50 | Number of results, between 0 and 50. | least value of `n` is 0
        n: type = 'integer'; maximum = 100 | Number of results (max 50). | is 50
        n: type = 'integer'; maximum = 100 | Maximum: 50 | is 50
        n: type = 'integer'; maximum = 100 | How many to return, at most 50. | is 50
        n: type = 'integer'; maximum = 100 | How many to return. Up to 1,000. | is 1000
        n: type = 'integer'; maximum = 100 | Must not exceed 250. | is 250
        n: type = 'integer'; minimum = 1 | Page number. Must be at least 0. | least value of `n` is 0
        n: type = 'integer'; minimum = 0; maximum = 10 | Level (1-5) | least value
        n: type = 'integer'; minimum = 1; maximum = 10 | Level. Range: 1 to 5. | greatest value of `n` is 5
        n: type = 'number'; minimum = 0; maximum = 2 | Temperature, from 0 to 1 | greatest value of `n` is 1
        n: type = 'number'; minimum = 0; maximum = 1 | Share, between 0.0 and 0.5 inclusive. | 0.5
        n: '$ref' = '#/$defs/count' | The count, at most 20. | greatest value of `n` is 20
        n: anyOf = [{ type = 'integer', maximum = 9 }, { type = 'null' }] | The count, no more than 8. | is 8
        s: type = 'string'; maxLength = 100 | Title, at most 80 characters. | greatest length of `s` is 80
        s: type = 'string'; maxLength = 100 | Title (max. 80 chars) | is 80
        s: type = 'string'; minLength = 3; maxLength = 20 | Name, between 3 and 16 characters. | is 16
        s: type = 'string'; maxLength = 100 | Title. Maximum length: 80. | is 80
        a: type = 'array'; items = { type = 'string' }; maxItems = 20 | Ids, at most 10 items. | number of items of `a` is 10
        a: type = 'array'; items = { type = 'string' }; maxItems = 20 | Addresses to read, up to 5 pages. | is 5
        a: type = 'array'; items = { type = 'string' }; minItems = 1 | Must contain at least 2 entries. | least number of items
        n: type = 'integer'; exclusiveMaximum = 100 | Up to 50 | is 50
        n: type = 'integer'; minimum = 1; maximum = 100 | How many results to return, 1 to 50. | is 50
        n: type = 'integer'; minimum = 1; maximum = 100 | How many results (1–50). | is 50
        n: type = 'integer'; maximum = 100 | No greater than 50. | is 50
        n: type = 'integer'; maximum = 100 | Page size; the limit is 50. | is 50
        n: type = 'integer'; maximum = 100 | Page size, capped at 50. | is 50
        n: type = 'integer'; maximum = 100 | Items. Maximum allowed value: 50. | is 50
        n: type = 'integer'; maximum = 100 | Number of items to fetch at most: 50 | is 50
        a: type = 'array'; items = { type = 'string' }; maxItems = 20 | Ids of the records, maximum 10. | is 10
        s: type = 'string'; maxLength = 100 | Title with up to 80 characters. | is 80
        s: type = 'string'; maxLength = 100 | Title (80 characters max). | is 80
        s: type = 'string'; minLength = 2; maxLength = 100 | Title, 3-100 characters. | is 3

        n: type = 'integer'; minimum = 1; maximum = 50 | Number of results, between 1 and 50.
        n: type = 'integer'; maximum = 1000 | How many to return. Up to 1,000.
        n: type = 'integer'; maximum = 100 | At most 50 for free plans.
        n: type = 'integer'; maximum = 100 | Number of lines. A file has at most 500 of them.
        n: type = 'integer'; maximum = 100 | Pages with between 10 and 20 rows are skipped.
        n: type = 'integer'; maximum = 600 | Seconds to wait, at most 10 minutes.
        n: type = 'integer'; maximum = 100 | At most 50, or at most 80 with a key.
        n: type = 'integer' | At most 50.
        n: type = 'integer'; maximum = 100 | At most 50% of the lines.
        n: type = 'integer'; minimum = 1; maximum = 12 | Month of the year 2024-2025
        n: type = 'integer'; exclusiveMaximum = 100 | Up to 99
        n: type = 'integer'; exclusiveMaximum = 100 | Less than 100
        s: type = 'string'; maxLength = 80 | Title, at most 80 characters.
        s: type = 'string'; maxLength = 80 | Name of at least 2 files.
        s: type = 'string'; maxLength = 80 | A range such as 1-5
        a: type = 'array'; items = { type = 'string' }; maxItems = 20 | Names of at most 10 characters.
        a: type = 'array'; items = { type = 'string' }; maxItems = 20 | Names, each at most 10 words.
        a: type = 'array'; items = { type = 'integer' }; maxItems = 20 | Levels, between 1 and 5
        n: type = 'integer'; minimum = 1; maximum = 100 | Percentage of the lines to keep.
        n: type = 'boolean' | Whether at most 5 are shown
        n: type = 'integer'; maximum = 100 | How many days back. Keeps up to 3 copies if it fails.
        n: type = 'integer'; maximum = 100 | Index of files with up to 5 lines.
        a: type = 'array'; items = { type = 'integer' }; maxItems = 20 | Levels, maximum 10.
        n: type = 'integer'; minimum = 1; maximum = 12 | Months 1 to 6 are free.
        ",
    );
}

#[test]
fn other_values_are_found() {
    check(
        "
        v: enum = ['a', 'b', 'd'] | One of: a, b, c. | lists `c`
        v: enum = ['a', 'b', 'd'] | One of `a`, `b` or `c`. | lists `c`
        v: enum = ['json', 'xml'] | Format. Allowed values: json, xml, yaml. | lists `yaml`
        v: enum = ['json', 'xml', 'yaml'] | Format. Allowed values: json, xml. | without `yaml`
        v: enum = ['asc', 'desc'] | Order: up|down | lists `up`, `down`
        v: enum = ['open', 'closed', 'all'] | The state (“open” or “shut”). One of: open, shut. | lists `shut`
        v: enum = ['low', 'high'] | Either `low` or `medium`. One of `low`, `medium`. | lists `medium`
        v: '$ref' = '#/$defs/level' | Valid values are low, medium, high. | lists `medium`
        v: anyOf = [{ enum = ['on', 'off'] }, { type = 'null' }] | Must be one of on, off, auto. | lists `auto`
        v: enum = [1, 2, 3] | One of: 1, 2, 4. | lists `4`
        v: enum = ['utf8', 'latin1'] | Encoding. One of: utf8, latin1, ascii | lists `ascii`
        v: enum = ['v1', 'v2'] | Valid options are v1, v2, v3 (default: v1) | lists `v3`
        v: enum = ['get', 'post', 'put'] | Method (get, post, patch) | lists `patch`
        v: enum = ['asc', 'desc'] | Sort order: `asc`, `desc` or `none`. | lists `none`
        v: enum = ['red', 'green', 'blue'] | The colour: red, green or yellow. | lists `yellow`
        v: enum = ['red', 'green', 'blue'] | Colour. Can be red, green, or yellow. | lists `yellow`
        v: enum = ['fast', 'slow'] | Use `fast` or `quick`. | lists `quick`
        v: enum = ['json', 'xml'] | json/yaml | lists `yaml`
        v: enum = ['quick', 'thorough'] | How to search. Use fast for speed. | recommends `fast`
        v: enum = ['quick', 'thorough'] | Use fast for speed, and careful for quality. | recommends `fast`
        v: enum = ['quick', 'thorough'] | The mode. Use `fast` to save time. | recommends `fast`
        v: enum = ['asc', 'desc'] | Choose newest if the last ones matter. | recommends `newest`
        v: enum = ['asc', 'desc'] | The order; set to \"down\" when the last ones matter. | recommends `down`

        v: enum = ['quick', 'thorough'] | Use quick for speed, thorough for quality.
        v: enum = ['quick', 'thorough'] | Use it for large files.
        v: enum = ['quick', 'thorough'] | How to search. Use wildcards to find more.
        v: enum = ['quick', 'thorough'] | How to search. Use caution for large folders.
        v: enum = ['quick', 'thorough'] | quick is the default. Use grep to search for a pattern.
        v: enum = ['quick', 'thorough'] | Use `end` to stop it.
        v: enum = ['quick', 'thorough'] | Use the first one for speed.

        v: enum = ['a', 'b', 'c'] | One of: a, b, c.
        v: enum = ['a', 'b', 'c'] | One of: c, b or a.
        v: enum = ['in_progress', 'done'] | One of: In-Progress, Done.
        v: enum = ['json', 'xml', 'yaml'] | Allowed values: json, xml. The value yaml is deprecated.
        v: enum = ['json', 'xml', 'yaml'] | For example one of: json, xml.
        v: enum = ['json', 'xml'] | The format of the file (name, path, size, date)
        v: enum = ['json', { value = 'xml', when = 'facts.x' }] | One of: json, yaml.
        v: enum = ['start', 'end'] | One of: start, end
        v: enum = ['json', 'xml'] | How to show it
        v: type = 'string' | One of: json, xml.
        v: enum = ['>', '<', '='] | The comparison
        v: enum = ['open', 'closed'] | One of: open (default), closed.
        v: enum = ['read', 'write'] | Whether it is for read and/or write
        v: enum = ['read', 'write'] | Use `open` or `close` elsewhere.
        v: enum = ['read', 'write'] | With `read`, see `start` and `end`.
        v: enum = ['read', 'write', 'append'] | Use `read` or `write`.
        ",
    );
}

#[test]
fn other_units_are_found() {
    check(
        "
        oven_celsius: type = 'number' | The temperature in Fahrenheit. | in fahrenheit, but its name says celsius
        oven_celsius: type = 'number' | The temperature in degrees Fahrenheit. | in fahrenheit
        oven_celsius: type = 'number' | The temperature in degrees.
        weight_kg: type = 'number' | The weight in pounds. | in pounds, but its name says kilograms
        width_cm: type = 'number' | The width in inches. | in inches, but its name says centimeters
        weight_kg: type = 'number' | The weight in kg, converted from pounds.
        timeout_ms: type = 'integer' | Timeout in seconds. | in seconds, but its name says milliseconds
        timeout_seconds: type = 'integer' | Timeout in milliseconds. | in milliseconds
        delay_ms: type = 'integer' | Delay (seconds) | in seconds
        delay_sec: type = 'number' | Delay in minutes before a retry | in minutes
        timeoutMs: type = 'integer' | How long to wait, in seconds. | in seconds
        wait_seconds: type = 'integer' | Milliseconds to wait | in milliseconds
        max_mb: type = 'integer' | Maximum size in kilobytes | in kilobytes
        size_bytes: type = 'integer' | Size in MB | in megabytes
        angle_deg: type = 'number' | Angle in radians | in radians
        width_px: type = 'integer' | Width in centimeters | in centimeters
        distance_km: type = 'number' | Distance in miles | in miles
        price_cents: type = 'integer' | Price in dollars | in dollars
        ttl_hours: type = 'integer' | Number of minutes until it ends. Number of minutes to keep it | in minutes
        wait_ms: type = 'integer' | Timeout, seconds. | in seconds
        pause_ms: type = 'integer' | Wait this many seconds. | in seconds
        timeout: type = 'integer' | Timeout in seconds. It is given in milliseconds. | in seconds, and also in milliseconds

        timeout_ms: type = 'integer' | Timeout in milliseconds.
        timeout_ms: type = 'integer' | Timeout in ms; 1000 is one second.
        timeout_seconds: type = 'integer' | Timeout in seconds (60 are one minute).
        timeout_ms: type = 'integer' | How long to wait.
        timeout: type = 'integer' | Timeout in seconds.
        timeout: type = 'integer' | Timeout in seconds. The server answers within minutes.
        timeout: type = 'string' | Timeout, in seconds or minutes, such as 5m
        size_bytes: type = 'integer' | Size limit, checked in seconds
        days: type = 'integer' | How many days back, counted in hours
        per_day: type = 'integer' | Requests, as seconds
        items_s: type = 'integer' | Items in minutes
        delay_ms: type = 'integer' | Waits this long before each second request.
        duration_minutes: type = 'integer' | Length of the event.
        ",
    );
}

#[test]
fn other_shapes_are_found() {
    check(
        "
        tags: type = 'array'; items = { type = 'string' } | Comma-separated tags. | one text
        tags: type = 'array'; items = { type = 'string' } | Tags, separated by commas. | one text
        tags: type = ['array', 'null']; items = { type = 'string' } | Tags, comma separated | one text
        ids: type = 'array'; items = { type = 'integer' } | Space-delimited ids. | one text
        ids: type = 'array'; items = { type = 'string' } | Ids, one per line. | one text
        ids: type = 'array'; items = { type = 'string' } | A JSON-encoded array of ids. | one text
        ids: type = 'string' | List of ids to delete. | a list
        ids: type = 'string' | An array of names. | a list
        id: type = 'integer' | A list of ids. | a list
        force: type = 'string' | true/false | true or false
        force: type = 'string' | Set to true to delete without a question. | true or false
        force: type = 'string' | If true, hidden files are shown. | true or false
        force: type = 'string' | Boolean flag that hides the list. | true or false
        n: type = 'string' | The count (integer, optional) of lines | an integer, but it is a string
        n: type = 'integer' | The name (string) | a string, but it is an integer
        n: type = 'boolean' | The name (string, required) | a string
        n: type = 'object' | Filter (array) | an array
        ids: type = 'array'; items = { type = 'string' } | CSV of ids. | one text
        n: type = 'boolean' | Comma-separated names. | one text
        n: type = 'boolean' | Number of lines. | a number
        n: type = 'integer' | Email address of the user. | an email address
        n: type = 'integer' | URL of the page | an address of a page

        tags: type = 'array'; items = { type = 'string' } | Tags of the page.
        tags: type = 'string' | Comma-separated tags.
        tags: type = 'string' | List of tags, separated by commas.
        tags: type = 'string' | A list of tags as JSON.
        tags: type = ['array', 'string']; items = { type = 'string' } | Comma-separated tags.
        rows: type = 'array'; items = { type = 'string' } | Rows, each a comma-separated line.
        rows: type = 'array'; items = { type = 'string' } | Files with tab-separated values.
        rows: type = 'array'; items = { type = 'string' } | Names. The result is comma-separated.
        force: type = 'boolean' | true/false
        force: type = 'string' | The string true or false.
        force: type = 'string'; enum = ['true', 'false', 'auto'] | true/false or auto
        filter: type = 'string' | A filter expression, true if the row is kept
        filter: type = 'object' | A list of pairs
        n: type = 'number' | The count (integer)
        n: type = 'string' | Name of the list (list) to show
        n: type = 'string' | The list
        n: type = 'integer' | URL count
        n: type = 'integer' | IP version
        n: type = 'integer' | The date as a number of seconds
        n: type = 'boolean' | Whether the number of lines is shown
        n: type = ['string', 'integer'] | The count (integer)
        ",
    );
}

#[test]
fn other_formats_are_found() {
    check(
        "
        x: type = 'string'; format = 'uri' | The date on which it starts. | a date
        x: type = 'string'; format = 'date-time' | When it begins (YYYY-MM-DD). | a date without a time
        x: type = 'string'; format = 'date-time' | Start in the form `YYYY-MM-DD`. | a date without a time
        x: type = 'string'; format = 'date-time' | When it begins, e.g. 2024-05-01. | a date without a time
        x: type = 'string'; format = 'date' | When it begins (YYYY-MM-DD HH:MM). | a date with a time
        x: type = 'string'; format = 'date' | Date, such as 2024-05-01T10:00:00Z. | a date with a time
        x: type = 'string'; format = 'date' | Date in DD.MM.YYYY | does not begin with the year
        x: type = 'string'; format = 'date' | Date (MM/DD/YYYY). | does not begin with the year
        x: type = 'string'; format = 'time' | When to start, YYYY-MM-DD | a date without a time
        x: type = 'string'; format = 'date-time' | When it begins, hh:mm. | a time without a date
        x: type = 'string'; format = 'uri' | Start date in YYYY-MM-DD. | a date
        x: type = 'string'; format = 'date' | The email address of the user. | an email address
        x: type = 'string'; format = 'date' | URL of the page. | an address of a page
        x: type = 'string'; format = 'email' | A valid URL. | an address of a page
        x: type = 'string'; format = 'uuid' | The timestamp of the event. | a point in time
        x: type = 'string'; format = 'ipv4' | Regular expression for names. | a regular expression
        x: type = 'string'; format = 'date-time' | The UUID of the record. | a UUID
        x: type = ['string', 'null']; format = 'email' | Domain name of the server. | a host name
        x: type = 'string'; format = 'time' | Full URL of the clock. | an address of a page
        x: type = 'string'; format = 'uri' | ISO 8601 timestamp. | a point in time

        x: type = 'string'; format = 'uri' | URL of the page.
        x: type = 'string'; format = 'uri' | The date’s page, as a URL.
        x: type = 'string'; format = 'date' | Date in YYYY-MM-DD.
        x: type = 'string'; format = 'date' | Date, such as 2024-05-01.
        x: type = 'string'; format = 'date-time' | When it begins, e.g. 2024-05-01T10:00:00Z.
        x: type = 'string'; format = 'date-time' | When it begins (YYYY-MM-DDThh:mm:ssZ).
        x: type = 'string'; format = 'date-time' | When it begins. Must be after 2024-01-01.
        x: type = 'string'; format = 'date-time' | When it begins, not only YYYY-MM-DD.
        x: type = 'string'; format = 'date-time' | When it begins: YYYY-MM-DD and hh:mm with an offset.
        x: type = 'string'; format = 'time' | Time of day as hh:mm:ss.
        x: type = 'string'; format = 'date' | Date in YYYY-MM-DD, shown as DD/MM/YYYY.
        x: type = 'string'; format = 'uri' | Page of the version 2024-05-01.
        x: type = 'string'; format = 'date-time' | The date and time of the event.
        x: type = 'string'; format = 'date-time' | The start date.
        x: type = 'string'; format = 'email' | Whom to write to.
        x: type = 'string'; format = 'uuid' | The record.
        x: type = 'string'; format = 'password' | The email password.
        x: type = 'string'; format = 'hostname' | IP address or name of the server.
        x: type = 'string' | The date.
        x: type = 'integer'; format = 'int64' | The date as a number.
        x: type = 'string'; format = 'uri' | Where the file of that date is.
        ",
    );
}

#[test]
fn other_defaults_and_presence_are_found() {
    check(
        "
        n: type = 'integer'; default = 5 | How many. Defaults to 10. | default of `n` is 10
        n: type = 'integer'; default = 5 | How many (default 10). | is 10
        n: type = 'integer'; default = 5 | How many, 10 by default. | is 10
        n: type = 'boolean'; default = false | Default: true | is true
        n: enum = ['a', 'b']; default = 'a' | Which one. Defaults to b. | is \"b\"
        n: type = 'string'; default = 'a' | Which one. Default is `b`. | is \"b\"
        n: type = 'string'; default = 'auto' | Default is 5. | is 5
        n: type = 'integer'; default = 5 | Default is true. | is true
        n: type = 'string'; required = true | Optional. The folder. | described as optional
        n: type = 'string'; required = true | The folder (optional) | described as optional
        n: type = 'string'; required = true | The folder. If omitted, the home. | described as optional
        n: type = 'string'; required = true | The folder, can be omitted. | described as optional
        n: type = 'string' | Required. The folder. | described as required
        n: type = 'string'; required = true | The folder. Leave out for the home folder. | described as optional
        n: type = 'string'; required = true | The folder (optional parameter). | described as optional
        n: type = 'string' | The folder. Must always be given. | described as required
        n: type = 'string' | The folder (required) | described as required
        n: type = 'string' | The folder. This parameter is required. | described as required

        n: type = 'integer'; default = 10 | How many. Defaults to 10.
        n: type = 'integer'; default = 10 | How many (default 10).
        n: type = 'integer'; default = 5 | Defaults to 10 for folders.
        n: type = 'integer' | Defaults to 10.
        window: type = 'integer'; default = 600000 | Defaults to 10 minutes (600,000 milliseconds).
        size: type = 'integer'; default = 1048576 | Defaults to 1 MB.
        n: enum = ['a', 'b']; default = 'a' | Defaults to a.
        n: type = 'string'; default = '10' | Defaults to 10.
        n: type = 'string'; required = true | Required. The folder.
        n: type = 'string'; required = true | Optional settings of the folder
        n: type = 'string'; required = true | The folder. If `end` is omitted, all of it.
        n: type = 'string' | Optional. The folder.
        n: type = 'string' | Required if a folder is given.
        n: type = 'string' | The folder (required for links)
        n: type = 'string' | The required format of the file
        n: type = 'string' | Whether a password is required.
        ",
    );
}

#[test]
fn only_clear_statements_of_usual_texts_count() {
    check(include_str!("usual_texts.txt"));
}
