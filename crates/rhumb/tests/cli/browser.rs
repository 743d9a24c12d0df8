//! Pages in a real browser: load, step, search, fold, pictures, dark mode, long runs, hostile names.
//! `RHUMB_SCREENSHOTS=DIR` keeps pictures to look at.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use crate::support::{Folder, rhumb_in};
use crate::webdriver::Browser;

const RUN: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
enum mode { IDLE, BUSY, DONE };
struct job { enum mode mode; int left[3]; } job;
static int twice(int x) {
  return 2 * x;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n != 9)
    return 0;
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum = sum + twice(i); /* a comment that
      goes on */
  }
  job.mode = DONE;
  job.left[1] = sum;
  if (sum == 72)
    reach_error();
  return 0;
}
";

/// A tree with covers and dead ends comes of this, if nobody helps.
const TREE: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = 0, lock = 0;
  do {
    lock = 1;
    int old = x;
    if (__VERIFIER_nondet_int()) { lock = 0; x = x + 1; }
    if (old == x && lock == 0) reach_error();
    if (old == x) break;
  } while (1);
  if (lock == 0)
    reach_error();
  return 0;
}
";

/// Makes a page; gives the folder and the page.
fn page(name: &str, text: &str, args: &[&str]) -> (Folder, PathBuf) {
    let folder = Folder::new();
    folder.file(name, text);
    let all = [&["check", name, "--report", "page"], args].concat();
    let called = rhumb_in(folder.path(), all);
    let page = folder.path().join("page/index.html");
    assert!(page.exists(), "{}{}", called.stdout, called.stderr);
    (folder, page)
}

fn line(browser: &Browser) -> String {
    browser.text(".row.now .number")
}

#[test]
fn pages_work_in_a_browser() {
    let Some(browser) = Browser::start() else {
        return;
    };
    a_run(&browser);
    colours(&browser);
    trees(&browser);
    automata(&browser);
    long_runs(&browser);
    hostile(&browser);
    measurements(&browser);
}

/// Steps, values, folds and search.
fn a_run(browser: &Browser) {
    let (_folder, page) = page("run.c", RUN, &[]);
    browser.open(&page);
    assert_eq!(browser.text("#verdict"), "UNSAFE");
    assert_eq!(browser.count("#source .row"), RUN.lines().count() as u64);
    assert_eq!(line(browser), "9");
    browser.key("\u{e014}");
    assert_eq!(line(browser), "10", "the right arrow is a step");
    browser.click("#on");
    assert_eq!(line(browser), "12");
    browser.click("#back");
    assert_eq!(line(browser), "10");
    assert_eq!(browser.count(".step.fold"), 1);
    assert!(
        browser
            .text(".step.fold")
            .contains("rounds 3 to 9 of the loop on line 13")
    );
    let before = browser.count(".step");
    browser.picture("run");
    browser.click(".step.fold");
    assert_eq!(browser.count(".step.fold"), 0);
    assert!(browser.count(".step") > before + 10);
    browser.key("\u{e010}");
    assert_eq!(line(browser), "20", "the end of the run");
    assert!(browser.text("#source").contains("job.mode = DONE"));
    assert!(browser.text("#source").contains("job.left[1] = 72"));
    assert!(browser.text("#state").contains("sum"));
    browser.key("\u{e011}");
    assert_eq!(line(browser), "9", "its beginning");
    browser.run("const s = document.getElementById('slider'); s.value = 4; s.dispatchEvent(new Event('input'))");
    assert!(browser.text("#place").starts_with("step 5 of "));
    browser.type_into("#search", "twice");
    assert_eq!(browser.text("#matches"), "1 of 2");
    assert_eq!(browser.count(".row.found"), 2);
    browser.key("\u{e007}");
    assert_eq!(browser.text("#matches"), "2 of 2", "Enter goes on");
    browser.picture("search");
    assert_eq!(browser.complaints(), Vec::<String>::new());
    assert_eq!(browser.requests(), Vec::<String>::new());
}

fn back(browser: &Browser) -> String {
    browser
        .run("return getComputedStyle(document.body).backgroundColor")
        .to_string()
}

/// Light and dark: as the user likes it, and the other way by a button.
fn colours(browser: &Browser) {
    browser.prefers("dark");
    let dark = back(browser);
    browser.picture("dark");
    browser.click("#dark");
    let light = back(browser);
    assert_ne!(dark, light);
    browser.prefers("light");
    assert_eq!(back(browser), light);
    browser.click("#dark");
    assert_eq!(back(browser), dark);
}

/// The reachability tree: nodes in colours, covers, labels, folding, zoom.
fn trees(browser: &Browser) {
    let args = ["--engine", "predicate-fine", "--checks", "none"];
    let (_folder, page) = page("tree.c", TREE, &args);
    browser.open(&page);
    assert_eq!(browser.text("#verdict"), "SAFE");
    assert!(
        browser.count(".invariant") > 0,
        "invariants stand beside their loops"
    );
    browser.click("#tab-tree");
    let nodes = browser.count("#tree g.node");
    assert!(nodes > 3, "{nodes}");
    assert!(browser.count("#tree .box.dead") > 0);
    assert!(browser.count("#tree .edge.covers") > 0);
    let seen = "return document.querySelector('#tree svg').getAttribute('viewBox')";
    let before = browser.run(seen);
    browser.click("#tree .tools button[title='Zoom in']");
    assert_ne!(browser.run(seen), before);
    browser.click("#tree .tools button[title='Show all of it']");
    assert_eq!(browser.run(seen), before);
    browser.picture("tree");
    // The first click tells, the second folds. Children are drawn before their parents.
    let root = "[...document.querySelectorAll('#tree g.node')].pop().dispatchEvent(new MouseEvent('click', {bubbles: true}))";
    browser.run(root);
    assert!(browser.text("#detail").contains("entry"));
    browser.run(root);
    assert!(browser.count("#tree g.node") < nodes, "a tree folds");
    browser.click("#tree .tools button[title='Show every node']");
    assert_eq!(browser.count("#tree g.node"), nodes);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The automaton: a loop folds into its head.
fn automata(browser: &Browser) {
    browser.click("#tab-automaton");
    let nodes = browser.count("#automaton g.node");
    assert!(nodes > 5, "{nodes}");
    assert_eq!(browser.count("#automaton .box.target"), 2);
    browser.picture("automaton");
    browser.run("document.querySelector('#automaton .box.loop').parentNode.dispatchEvent(new MouseEvent('click', {bubbles: true}))");
    assert!(browser.count("#automaton g.node") < nodes, "a loop folds");
    browser.picture("automaton-folded");
    browser.click("#tab-loops");
    assert!(browser.count("#loops details") > 0);
    browser.picture("loops");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// 5,000 lines, and a run of 100,000 steps.
fn long_runs(browser: &Browser) {
    let mut text = String::from(
        "extern void reach_error(void);\nint main(void) {\n  int x = 0;\n  for (int i = 0; i < 50000; i++)\n    x = x ^ i;\n",
    );
    for number in 0..5000 {
        writeln!(text, "  x = x ^ {number}; // line {number}").expect("a string");
    }
    text.push_str("  reach_error();\n}\n");
    let (_folder, page) = page("long.c", &text, &["--checks", "none"]);
    let begun = Instant::now();
    browser.open(&page);
    let loaded = begun.elapsed();
    let steps = browser.run("return Number(document.getElementById('slider').max) + 1");
    assert!(steps.as_u64() > Some(100_000), "{steps}");
    let jumps = "const s = document.getElementById('slider'), t = performance.now(); for (let i = 0; i < 20; i++) { s.value = (i * 7919) % s.max; s.dispatchEvent(new Event('input')); document.body.offsetHeight; } return performance.now() - t";
    let time = browser.run(jumps).as_f64().expect("a time");
    println!(
        "{steps} steps: loaded in {loaded:?}, a jump takes {:.1} ms",
        time / 20.0
    );
    assert!(time < 10_000.0, "{time}");
    browser.key("\u{e010}");
    assert_eq!(
        line(browser),
        text.lines().count().saturating_sub(1).to_string()
    );
    browser.picture("long");
}

/// Nothing that a program says is more than text.
fn hostile(browser: &Browser) {
    let name = "<img src=x onerror=hacked()>\"'&.c";
    let text = "extern void reach_error(void);
int main(void) {
  const char *s = \"</script><script>window.hacked = 1</script><img src=x onerror='window.hacked=1'>\";
  const char *t = \"<!--<script>]]>${1}`\\u2028\"; /* </code></div><svg onload=hacked()> */
  int h\u{e9}h\u{e9} = s[0] + t[0];
  if (h\u{e9}h\u{e9} == '<' + '<')
    reach_error();
}
";
    let (_folder, page) = page(name, text, &["--checks", "none"]);
    browser.open(&page);
    assert_eq!(browser.run("return typeof window.hacked"), "undefined");
    assert_eq!(browser.count("script"), 2);
    assert_eq!(browser.count("img"), 0);
    assert_eq!(browser.count("#source .row"), text.lines().count() as u64);
    assert!(browser.text("#what").contains(name));
    assert!(
        browser
            .text("#source")
            .contains("</script><script>window.hacked = 1</script>")
    );
    browser.click("#tab-automaton");
    browser.picture("hostile");
    assert_eq!(browser.run("return typeof window.hacked"), "undefined");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The page of a measurement: plots, a table that sorts, links to logs.
fn measurements(browser: &Browser) {
    let folder = Folder::new();
    let set = folder.path().join("set");
    std::fs::create_dir(&set).expect("a folder");
    let tasks = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benchmarks");
    let mut args: Vec<String> = [
        "bench",
        "--timeout",
        "5s",
        "--engine",
        "gps,bmc",
        "--quiet",
        "--out",
        "out",
    ]
    .map(str::to_owned)
    .to_vec();
    for name in ["ex1-limited.yml", "ex2-limited.yml"] {
        let path = PathBuf::from(tasks).join("examples").join(name);
        if path.exists() {
            args.push(path.to_string_lossy().into_owned());
        }
    }
    let called = rhumb_in(folder.path(), &args);
    assert!(
        called.stdout.contains("Page: out/index.html"),
        "{}{}",
        called.stdout,
        called.stderr
    );
    browser.open(&folder.path().join("out/index.html"));
    assert!(browser.count("#summary tr") >= 2);
    assert!(browser.count("#cactus .curve") >= 1);
    let runs = browser.count("#runs tr");
    assert!(runs >= 2);
    browser.click("#head th[data-key=task] button");
    assert_eq!(
        browser.run(
            "return document.querySelector('#head th[data-key=task]').getAttribute('aria-sort')"
        ),
        "ascending"
    );
    browser.picture("measurement");
    browser.click("#runs a");
    assert!(
        browser
            .run("return location.href")
            .as_str()
            .is_some_and(|href| href.ends_with(".log"))
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
