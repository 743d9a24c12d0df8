//! How many runs can go on at the same time without disturbing each other.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::thread;

/// Physical cores that we may use: hardware threads of one core share its caches and units, so two runs on one core would
/// each measure the other. Never more than the scheduler and the control group allow.
pub fn physical() -> usize {
    let allowed = thread::available_parallelism().map_or(1, usize::from);
    count(Path::new("/sys/devices/system/cpu"))
        .map_or(allowed, |cores| cores.min(allowed))
        .max(1)
}

/// Distinct pairs of package and core.
fn count(folder: &Path) -> Option<usize> {
    let mut cores = HashSet::new();
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let topology = entry.path().join("topology");
        let read = |name: &str| {
            fs::read_to_string(topology.join(name))
                .ok()
                .map(|text| text.trim().to_owned())
        };
        if let (Some(package), Some(core)) = (read("physical_package_id"), read("core_id")) {
            cores.insert((package, core));
        }
    }
    (!cores.is_empty()).then_some(cores.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hardware_threads_of_one_core_count_once() {
        let folder = tempfile::tempdir().expect("a folder");
        for (cpu, package, core) in [(0, 0, 0), (1, 0, 1), (2, 0, 0), (3, 0, 1), (4, 1, 0)] {
            let topology = folder.path().join(format!("cpu{cpu}/topology"));
            fs::create_dir_all(&topology).expect("a folder");
            fs::write(topology.join("physical_package_id"), format!("{package}\n"))
                .expect("a file");
            fs::write(topology.join("core_id"), format!("{core}\n")).expect("a file");
        }
        fs::create_dir(folder.path().join("cpufreq")).expect("a folder");
        assert_eq!(count(folder.path()), Some(3));
        assert_eq!(count(&folder.path().join("none")), None);
        assert!(physical() >= 1);
    }
}
