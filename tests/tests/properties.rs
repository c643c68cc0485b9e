//! Every property holds for the fixtures, for its own inputs (`tests/properties/NAME/`: seeds, and inputs that once broke it),
//! and for thousands of seeded mutations of these. The fuzz targets are for long runs: `.ci/fuzz`.

use libtest_mimic::{Arguments, Trial};
use robots_tests::properties::ALL;
use std::io;
use std::path::Path;

/// The number of mutated inputs for each property.
const MUTATIONS: usize = 2_000;

/// The maximum length of an input that is mutated, in bytes.
const MAX_SEED_BYTES: usize = 16 * 1024;

fn main() -> io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut fixtures = Vec::new();
    collect(&here.join("fixtures"), &mut fixtures)?;
    let trials = ALL.into_iter().map(|(name, check)| {
        let mut inputs = fixtures.clone();
        let own = here.join("properties").join(name);
        if own.is_dir() {
            collect(&own, &mut inputs)?;
        }
        Ok(Trial::test(name, move || {
            for input in &inputs {
                check(input);
            }
            inputs.retain(|input| !input.is_empty() && input.len() <= MAX_SEED_BYTES);
            let mut random = fastrand::Rng::with_seed(1);
            for _ in 0..MUTATIONS {
                check(&mutated(&inputs, &mut random));
            }
            Ok(())
        }))
    });
    let trials = trials.collect::<io::Result<Vec<_>>>()?;
    libtest_mimic::run(&Arguments::from_args(), trials).exit()
}

/// Adds the contents of all files below a folder.
fn collect(folder: &Path, inputs: &mut Vec<Vec<u8>>) -> io::Result<()> {
    let mut paths = Vec::new();
    for entry in folder.read_dir()? {
        paths.push(entry?.path());
    }
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, inputs)?;
        } else {
            inputs.push(std::fs::read(path)?);
        }
    }
    Ok(())
}

/// Returns an input of parts of two others, with some bytes changed.
fn mutated(inputs: &[Vec<u8>], random: &mut fastrand::Rng) -> Vec<u8> {
    let part = |random: &mut fastrand::Rng| -> Vec<u8> {
        let input = &inputs[random.usize(..inputs.len())];
        let start = random.usize(..input.len());
        input[start..start + random.usize(..=input.len() - start)].to_vec()
    };
    let mut made = part(random);
    if random.bool() {
        // Some properties split their input at NULs.
        made.push(0);
    }
    made.extend(part(random));
    for _ in 0..random.usize(..8) {
        if !made.is_empty() {
            let at = random.usize(..made.len());
            made[at] = *random.choice(b"\0<>\"'/=*$:,#\r\n &\xFFaZ%-").unwrap_or(&0);
        }
    }
    made
}
