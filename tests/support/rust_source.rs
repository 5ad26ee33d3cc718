//! As much of Rust's grammar as a test over the source tree needs: code without comments and texts, test code, and paths.

/// The source with every comment and every text literal blanked out. Lines stay where they are.
pub fn code_only(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut code = String::with_capacity(source.len());
    let mut at = 0;
    while at < bytes.len() {
        let end = skipped_until(bytes, at);
        if end == at {
            code.push(if bytes[at].is_ascii() { bytes[at] as char } else { ' ' });
            at += 1;
        } else {
            code.extend(bytes[at..end].iter().map(|&byte| if byte == b'\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    code
}

/// The end of the comment or literal that begins here; `at` itself when none does.
fn skipped_until(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let after_name = at > 0 && is_name(bytes[at - 1]);
    if rest.starts_with(b"//") {
        return at + rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    }
    if rest.starts_with(b"/*") {
        return at + block_comment(rest);
    }
    if rest[0] == b'"' {
        return at + quoted(rest, b'"');
    }
    if rest[0] == b'r' && !after_name {
        let hashes = rest[1..].iter().take_while(|&&byte| byte == b'#').count();
        if rest.get(1 + hashes) == Some(&b'"') {
            let close = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
            let body = 2 + hashes;
            let length = rest[body..].windows(close.len()).position(|window| window == close);
            return at + length.map_or(rest.len(), |length| body + length + close.len());
        }
    }
    // A character; what has no closing mark beside it is a lifetime.
    if rest[0] == b'\'' && (rest.get(1) == Some(&b'\\') || rest.iter().skip(2).take(4).any(|&byte| byte == b'\'')) {
        return at + quoted(rest, b'\'');
    }
    at
}

fn block_comment(rest: &[u8]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn quoted(rest: &[u8], mark: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == mark => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Takes the items under `#[cfg(test)]` out of code that [`code_only`] has been through. The second answer names the
/// modules among them that have a file of their own.
pub fn without_tests(code: &str) -> (String, Vec<String>) {
    const MARK: &str = "#[cfg(test)]";
    let mut left = String::new();
    let mut files = Vec::new();
    let mut rest = code;
    while let Some(start) = rest.find(MARK) {
        let item = &rest[start..];
        let end = item_end(item);
        if item[..end].ends_with(';') {
            let words: Vec<&str> = item[..end - 1].split_whitespace().collect();
            files.extend(words.iter().skip_while(|&&word| word != "mod").nth(1).map(|name| (*name).to_owned()));
        }
        left.push_str(&rest[..start]);
        rest = &item[end..];
    }
    left.push_str(rest);
    (left, files)
}

/// An item ends with its first `;` outside of braces, or with the brace that closes its first one.
fn item_end(item: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in item.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return at + 1,
            b'}' => depth -= 1,
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    item.len()
}

/// Every path in the code, as its segments: `a::b` and what a group `a::{b, c::d}` stands for.
pub fn paths(code: &str) -> Vec<Vec<&str>> {
    let tokens = tokens(code);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_word(tokens[at]) {
            at = read_path(&tokens, at, &[], &mut found);
        } else {
            at += 1;
        }
    }
    found
}

/// Reads one path, or one branch of a group, with what stood before it; answers where it ends.
fn read_path<'a>(tokens: &[&'a str], mut at: usize, before: &[&'a str], found: &mut Vec<Vec<&'a str>>) -> usize {
    let mut path = before.to_vec();
    loop {
        match tokens.get(at) {
            Some(word) if is_word(word) => path.push(word),
            Some(&"{") => return read_group(tokens, at + 1, &path, found),
            _ => break,
        }
        at += 1;
        if tokens.get(at) != Some(&"::") {
            break;
        }
        at += 1;
    }
    found.push(path);
    at
}

fn read_group<'a>(tokens: &[&'a str], mut at: usize, before: &[&'a str], found: &mut Vec<Vec<&'a str>>) -> usize {
    while let Some(&token) = tokens.get(at) {
        match token {
            "}" => return at + 1,
            token if is_word(token) => at = read_path(tokens, at, before, found),
            _ => at += 1,
        }
    }
    at
}

fn is_word(token: &str) -> bool {
    token.bytes().all(is_name)
}

fn tokens(code: &str) -> Vec<&str> {
    let bytes = code.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = match bytes[at] {
            byte if is_name(byte) => bytes[at..].iter().take_while(|&&byte| is_name(byte)).count(),
            b':' if bytes.get(at + 1) == Some(&b':') => 2,
            _ => 1,
        };
        if !bytes[at].is_ascii_whitespace() {
            tokens.push(&code[at..at + length]);
        }
        at += length;
    }
    tokens
}
