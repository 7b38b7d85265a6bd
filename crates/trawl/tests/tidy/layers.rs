//! Dependencies point one way: `core`, `read`, `modes`, `service`, `trawl`. Nothing depends on
//! `testing` but tests and benches.

use crate::workspace::crates;

/// From the lowest to the highest: a crate depends on crates of the same layer and below.
const LAYERS: &[&str] = &["core", "read", "modes", "service", "trawl"];

/// Dependencies that a crate without clock, network and database does not have.
const IMPURE: &[&str] = &["tokio", "sqlx", "hyper", "hyper-util", "reqwest", "axum", "rand"];

/// Layers whose crates are pure.
const PURE: &[&str] = &["core", "read", "modes"];

fn rank(layer: &str) -> usize {
    // Above all others: nothing may depend on it.
    LAYERS.iter().position(|known| *known == layer).unwrap_or(LAYERS.len())
}

#[test]
fn dependencies_point_to_lower_layers() {
    let packages = crates();
    for package in &packages {
        for used in package.dependencies() {
            let Some(other) = packages.iter().find(|other| other.name == used) else { continue };
            assert!(
                rank(&other.layer) <= rank(&package.layer),
                "{} ({}) depends on {used} ({})",
                package.name,
                package.layer,
                other.layer
            );
        }
    }
}

#[test]
fn pure_crates_have_no_clock_network_or_database() {
    for package in crates().iter().filter(|package| PURE.contains(&package.layer.as_str())) {
        for used in package.dependencies() {
            assert!(!IMPURE.contains(&used.as_str()), "{} is pure and uses {used}", package.name);
        }
    }
}

/// Crates of `trawl crawl` and `trawl extract`, which use no database.
const WITHOUT_DATABASE: &[&str] = &["browser", "export", "pages", "probe", "runner", "samples"];

#[test]
fn crates_of_local_commands_build_without_a_database() {
    let packages = crates();
    for start in WITHOUT_DATABASE {
        let (mut open, mut seen) = (vec![(*start).to_owned()], Vec::new());
        while let Some(name) = open.pop() {
            assert!(!["sqlx", "store"].contains(&name.as_str()), "{start} depends on {name}");
            if !seen.contains(&name) {
                let package = packages.iter().find(|package| package.name == name);
                open.extend(package.map(|package| package.dependencies()).unwrap_or_default());
                seen.push(name);
            }
        }
        assert!(seen.len() > 1, "{start} has dependencies");
    }
}
