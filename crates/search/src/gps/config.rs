//! The switches of the search, and the engines that are settings of them.

use rhumb_summary::Preset;

/// What the search uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Config {
    /// Summaries of what lies ahead guide tests and prune.
    pub(crate) summaries: bool,
    /// Runs are bounded by gas.
    pub(crate) gas: bool,
    /// Concrete tests are run.
    pub(crate) tests: bool,
    /// Dead ends are explained by labels, and labels cover.
    pub(crate) labels: bool,
    /// Before everything else some runs get random inputs. They are tests, too.
    pub(crate) blind: bool,
    /// Repeated cycles of a test are jumped over.
    pub(crate) jumps: bool,
    /// If the summary from the entry excludes every error, the search ends before it begins.
    pub(crate) shortcut: bool,
    /// Nodes cover others that are no descendants of theirs.
    pub(crate) sharing: bool,
    /// At loop heads the inductive part of all labels is looked for.
    pub(crate) induction: bool,
    /// Induction looks several steps ahead.
    pub(crate) k_induction: bool,
    /// States from which no goal is reached are blocked for all paths that come to the same node.
    pub(crate) blocking: bool,
    /// Where the first test fails, dearer analyses are run, for stronger invariants; where tests keep failing at a loop, its summary is made again with more effort.
    pub(crate) raise: bool,
    /// Which operators and invariants the summaries have.
    pub(crate) preset: Preset,
}

/// A row of the table of engines.
pub(crate) struct Row {
    /// The name of the engine.
    pub(crate) name: &'static str,
    /// What it is, in one line.
    pub(crate) about: &'static str,
    /// Its switches.
    pub(crate) config: Config,
}

/// The algorithm and its ablations: each says in which switches it differs from the first.
pub(crate) const ROWS: [Row; 5] = [
    Row {
        name: "gps",
        about: "search guided by summaries: tests towards the error, dead ends explained by interpolants",
        config: Config::GPS,
    },
    Row {
        name: "gps-lite",
        about: "gps without interpolants: tests and dead ends alone",
        config: Config {
            labels: false,
            ..Config::GPS
        },
    },
    Row {
        name: "gps-nogas",
        about: "gps whose runs are not bounded by gas",
        config: Config {
            gas: false,
            ..Config::GPS
        },
    },
    Row {
        name: "gps-nosum",
        about: "gps without summaries and without gas",
        config: Config {
            summaries: false,
            gas: false,
            ..Config::GPS
        },
    },
    Row {
        name: "impact",
        about: "lazy abstraction with interpolants: one path at a time, no summaries, no tests",
        config: Config {
            summaries: false,
            gas: false,
            tests: false,
            ..Config::GPS
        },
    },
];

impl Config {
    /// The whole algorithm, with everything we have.
    pub(crate) const GPS: Config = Config {
        summaries: true,
        gas: true,
        tests: true,
        labels: true,
        blind: true,
        jumps: true,
        shortcut: true,
        sharing: true,
        induction: true,
        k_induction: true,
        blocking: true,
        raise: true,
        preset: Preset::Full,
    };

    /// The same algorithm with the means of a preset: the paper's prototype has no helps beside tests, dead ends and covers. It has edges that stand for any
    /// number of iterations of a loop that adds constants, so its tests don't walk through these one by one; ours jump.
    pub(crate) fn with(self, preset: Preset) -> Config {
        match preset {
            Preset::Full => Config { preset, ..self },
            Preset::Paper => Config {
                preset,
                blind: false,
                shortcut: false,
                sharing: false,
                induction: false,
                k_induction: false,
                blocking: false,
                raise: false,
                ..self
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the switches in which two settings differ.
    fn differences(a: Config, b: Config) -> Vec<&'static str> {
        // All fields by name, so that a new switch can't be forgotten here.
        let Config {
            summaries,
            gas,
            tests,
            labels,
            blind,
            jumps,
            shortcut,
            sharing,
            induction,
            k_induction,
            blocking,
            raise,
            preset,
        } = b;
        let pairs = [
            ("summaries", a.summaries == summaries),
            ("gas", a.gas == gas),
            ("tests", a.tests == tests),
            ("labels", a.labels == labels),
            ("blind", a.blind == blind),
            ("jumps", a.jumps == jumps),
            ("shortcut", a.shortcut == shortcut),
            ("sharing", a.sharing == sharing),
            ("induction", a.induction == induction),
            ("k_induction", a.k_induction == k_induction),
            ("blocking", a.blocking == blocking),
            ("raise", a.raise == raise),
            ("preset", a.preset == preset),
        ];
        let differ = pairs.into_iter().filter(|(_, same)| !same);
        differ.map(|(name, _)| name).collect()
    }

    #[test]
    fn an_ablation_differs_in_what_its_name_says() {
        for preset in [Preset::Full, Preset::Paper] {
            let named = |name: &str| {
                let mut rows = ROWS.iter();
                let row = rows.find(|row| row.name == name).expect("a row");
                row.config.with(preset)
            };
            let differs = |name: &str| differences(named("gps"), named(name));
            assert_eq!(differs("gps"), [""; 0]);
            assert_eq!(differs("gps-lite"), ["labels"]);
            assert_eq!(differs("gps-nogas"), ["gas"]);
            assert_eq!(differs("gps-nosum"), ["summaries", "gas"]);
            assert_eq!(differs("impact"), ["summaries", "gas", "tests"]);
        }
    }

    #[test]
    fn every_row_is_in_the_catalog() {
        for row in &ROWS {
            let entry = crate::entry(row.name);
            assert_eq!(entry.map(|entry| entry.about), Some(row.about));
        }
    }

    #[test]
    fn the_paper_has_no_helps() {
        assert_eq!(
            differences(Config::GPS, Config::GPS.with(Preset::Paper)),
            [
                "blind",
                "shortcut",
                "sharing",
                "induction",
                "k_induction",
                "blocking",
                "raise",
                "preset"
            ]
        );
    }
}
