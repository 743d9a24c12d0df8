//! The scaling fit from end to end: fake tools whose work is known.

use rhumb_bench::cli::ExitStatus;

use crate::lab::Lab;

/// Does as many steps as the family says for the size, which is in the name of the task.
const WORK: &str = "\
n=${1##*-}; n=${n%.yml}
case $1 in
  */constant/*) steps=30000;;
  */linear/*) steps=$((n * 20000));;
  */quadratic/*) steps=$((n * n * 2000));;
  */exponential/*) steps=$(((1 << n) * 1200));;
esac
i=0; while [ $i -lt $steps ]; do i=$((i+1)); done
echo 'verdict: SAFE'
";

#[test]
fn each_growth_gets_its_name() {
    let lab = Lab::new();
    let families: [(&str, &[u32]); 4] = [
        ("constant", &[10, 20, 40, 80, 160]),
        ("linear", &[5, 10, 20, 30, 45, 60]),
        ("quadratic", &[4, 8, 12, 16, 20, 25]),
        ("exponential", &[2, 4, 6, 7, 8, 9, 10]),
    ];
    for (family, sizes) in families {
        let mut description = String::new();
        for size in sizes {
            lab.task(&format!("scaling/{family}/t-{size}.yml"), true);
            description += &format!("[[instance]]\ntask = \"t-{size}.yml\"\nsize = {size}\n");
        }
        lab.file(&format!("tasks/scaling/{family}/family.toml"), &description);
    }
    let work = lab.tool("work", WORK);
    let ran = lab.bench(&[
        &lab.path("tasks"),
        "--tool",
        &work,
        "--scaling",
        "--timeout",
        "60s",
    ]);
    assert_eq!(ran.status, ExitStatus::Success, "{}", ran.log);
    let table: Vec<&str> = ran
        .out
        .lines()
        .skip_while(|line| !line.starts_with("Growth of time"))
        .collect();
    for (family, sizes) in families {
        let line = table
            .iter()
            .find(|line| line.starts_with(family))
            .unwrap_or_else(|| panic!("{}", ran.out));
        let cells: Vec<&str> = line
            .split("  ")
            .map(str::trim)
            .filter(|cell| !cell.is_empty())
            .collect();
        assert_eq!(
            (cells[2], cells[4]),
            (format!("{0}/{0}", sizes.len()).as_str(), family),
            "{}",
            table.join("\n")
        );
    }
}

#[test]
fn without_families_it_says_so() {
    let lab = Lab::new();
    lab.task("s/t.yml", true);
    let tool = lab.tool("x", "echo 'verdict: SAFE'");
    let ran = lab.bench(&[&lab.path("tasks"), "--tool", &tool, "--scaling"]);
    assert!(
        ran.out.contains("no task belongs to a family"),
        "{}",
        ran.out
    );
}

#[test]
fn sizes_that_are_not_solved_are_told_and_not_fitted() {
    let lab = Lab::new();
    let mut description = String::new();
    for size in [1, 2, 3, 4, 5] {
        lab.task(&format!("f/t-{size}.yml"), true);
        description += &format!("[[instance]]\ntask = \"t-{size}.yml\"\nsize = {size}\n");
    }
    lab.file("tasks/f/family.toml", &description);
    let tool = lab.tool(
        "x",
        "case $1 in *-[345].yml) echo 'verdict: UNKNOWN (big)'; exit 5;; esac; echo 'verdict: SAFE'",
    );
    let ran = lab.bench(&[&lab.path("tasks"), "--tool", &tool, "--scaling"]);
    let line = ran
        .out
        .lines()
        .find(|line| line.starts_with("f ") && line.contains("needs"))
        .unwrap_or_else(|| panic!("{}", ran.out));
    assert!(
        line.contains("1 to 2") && line.contains("needs 3 sizes") && line.contains("3 (unknown)"),
        "{line}"
    );
}
