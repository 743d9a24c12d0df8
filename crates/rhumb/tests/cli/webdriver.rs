//! A real browser, by way of `chromedriver`: as much of the WebDriver protocol as our pages need.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// A browser without a window. It ends when it is dropped.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    /// Starts one; none if there is none on this machine, which is said.
    pub(crate) fn start() -> Option<Browser> {
        let started = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut driver) = started else {
            println!("skipped: there is no chromedriver (Debian: chromium, chromium-driver)");
            return None;
        };
        let lines = BufReader::new(driver.stdout.take()?).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        let mut browser = Browser {
            driver,
            port: port?,
            session: String::new(),
        };
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "goog:chromeOptions": {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,800"]},
        }}});
        let begun = browser.request("POST", "/session", &wanted);
        let Some(session) = begun["sessionId"].as_str() else {
            println!("skipped: no browser can be started: {begun}");
            return None;
        };
        browser.session = format!("/session/{session}");
        Some(browser)
    }

    fn request(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = match method {
            "POST" => body.to_string(),
            _ => String::new(),
        };
        let mut stream =
            TcpStream::connect(("127.0.0.1", self.port)).expect("a driver that listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("a limit");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("a driver that reads");
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a head");
            let line = line.trim().to_ascii_lowercase();
            if let Some(number) = line.strip_prefix("content-length:") {
                length = number.trim().parse().expect("a length");
            }
            if line.is_empty() {
                break;
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).expect("a body");
        let mut answer: Value = serde_json::from_slice(&answer).expect("JSON");
        answer["value"].take()
    }

    fn post(&self, path: &str, body: Value) -> Value {
        let answer = self.request("POST", &format!("{}{path}", self.session), &body);
        assert!(answer["error"].is_null(), "{path}: {answer}");
        answer
    }

    /// Opens a file.
    pub(crate) fn open(&self, file: &Path) {
        let path = file.canonicalize().expect("a page");
        let path: String = path
            .to_str()
            .expect("a plain name")
            .bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                    char::from(byte).to_string()
                }
                _ => format!("%{byte:02X}"),
            })
            .collect();
        self.post("/url", json!({"url": format!("file://{path}")}));
    }

    /// The result of a script.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", json!({"script": script, "args": []}))
    }

    /// How many elements there are.
    pub(crate) fn count(&self, selector: &str) -> u64 {
        let script = format!(
            "return document.querySelectorAll({}).length",
            json!(selector)
        );
        self.run(&script).as_u64().expect("a number")
    }

    /// The text of an element.
    pub(crate) fn text(&self, selector: &str) -> String {
        let script = format!(
            "return document.querySelector({}).textContent",
            json!(selector)
        );
        self.run(&script).as_str().expect("a text").to_owned()
    }

    fn element(&self, selector: &str) -> String {
        let found = self.post(
            "/element",
            json!({"using": "css selector", "value": selector}),
        );
        let id = found.as_object().and_then(|found| found.values().next());
        id.and_then(Value::as_str).expect("an element").to_owned()
    }

    /// Clicks like a hand with a mouse: an element that can't be seen can't be clicked.
    pub(crate) fn click(&self, selector: &str) {
        let id = self.element(selector);
        self.post(&format!("/element/{id}/click"), json!({}));
    }

    /// Types into an element.
    pub(crate) fn type_into(&self, selector: &str, text: &str) {
        let id = self.element(selector);
        self.post(&format!("/element/{id}/value"), json!({"text": text}));
    }

    /// Presses a key.
    pub(crate) fn key(&self, key: &str) {
        let keys = json!([{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]);
        self.post(
            "/actions",
            json!({"actions": [{"type": "key", "id": "keys", "actions": keys}]}),
        );
    }

    /// Lets the page believe that the user likes it light or dark.
    pub(crate) fn prefers(&self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        let params = json!({"features": features});
        self.post(
            "/goog/cdp/execute",
            json!({"cmd": "Emulation.setEmulatedMedia", "params": params}),
        );
    }

    /// What the browser complains about.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let log = self.post("/se/log", json!({"type": "browser"}));
        let entries = log.as_array().expect("a log").iter();
        entries.map(|entry| entry["message"].to_string()).collect()
    }

    /// What was asked for that is no file.
    pub(crate) fn requests(&self) -> Vec<String> {
        let log = self.post("/se/log", json!({"type": "performance"}));
        let entries = log.as_array().expect("a log").iter();
        let asked = entries.filter_map(|entry| {
            let message: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let message = &message["message"];
            (message["method"] == "Network.requestWillBeSent").then(|| {
                message["params"]["request"]["url"]
                    .as_str()
                    .map(str::to_owned)
            })?
        });
        asked.filter(|url| !url.starts_with("file:")).collect()
    }

    /// Keeps a picture of the page where `RHUMB_SCREENSHOTS` says.
    pub(crate) fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("RHUMB_SCREENSHOTS") else {
            return;
        };
        let path = format!("{}/screenshot", self.session);
        let picture = self.request("GET", &path, &Value::Null);
        let picture = from_base64(picture.as_str().expect("a picture"));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = Path::new(&folder).join(format!("{name}.png"));
        std::fs::write(file, picture).expect("room for a picture");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            self.request("DELETE", &self.session.clone(), &Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    bytes
}
