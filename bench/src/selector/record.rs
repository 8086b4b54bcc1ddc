//! A measured grid as text: written where the devices are, judged again anywhere. A line for each fact, words between
//! spaces: `arm NAME PROFILE` and `cell WORK ROWS PLACE ROWS_OUT` with a list of times for each arm.

use super::grid::{Grid, GridCell};
use super::works::{Call, Place};
use pointsman::selector::{Arm, Profile};
use std::error::Error;
use std::fmt::Write;

/// Between the times of two arms.
const NEXT_ARM: &str = "|";

/// What is wrong with a record.
type Read<T> = Result<T, Box<dyn Error>>;

/// A grid as text.
pub fn write(grid: &Grid) -> String {
    let mut text = String::new();
    // Writing to a text never fails.
    for arm in &grid.arms {
        let _ = writeln!(text, "arm {} {}", arm.name, arm.profile.to_text());
    }
    for cell in grid.cells() {
        let place = match cell.call.place {
            Place::Host => "host".to_string(),
            Place::Resident(arm) => arm.to_string(),
        };
        let times = |samples: &Vec<f64>| samples.iter().map(|time| format!(" {time}")).collect::<String>();
        let arms: Vec<String> = cell.samples.iter().map(times).collect();
        let Call { work, rows, .. } = cell.call;
        let _ = writeln!(text, "cell {work} {rows} {place} {}{}", cell.rows_out, arms.join(&format!(" {NEXT_ARM}")));
    }
    text
}

/// The devices and cells of a text.
pub fn read(text: &str) -> Read<(Vec<Arm>, Vec<GridCell>)> {
    let (mut arms, mut cells): (Vec<Arm>, Vec<GridCell>) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match (&words[..], arms.last()) {
            (["arm", name, profile], _) => {
                let profile = Profile::from_text(profile);
                arms.push(Arm::new(name, profile.ok_or_else(|| format!("no profile of a device: {line}"))?));
            }
            (["cell", work, rows, place, rows_out, times @ ..], Some(_)) => {
                let place = if *place == "host" { Place::Host } else { Place::Resident(place.parse()?) };
                let call = Call { work: work.parse()?, rows: rows.parse()?, place };
                let arm = |words: &[&str]| words.iter().map(|word| word.parse()).collect::<Result<Vec<f64>, _>>();
                let samples = times.split(|word| *word == NEXT_ARM).map(arm).collect::<Result<_, _>>()?;
                cells.push(GridCell { call, rows_out: rows_out.parse()?, samples });
            }
            _ => return Err(format!("no line of a record: {line}").into()),
        }
    }
    Ok((arms, cells))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman::DeviceKind;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let profile = |kind| Profile { measured: true, ..Profile::guess(kind, 4) };
        let arms = vec![Arm::new("cpu", profile(DeviceKind::Cpu)), Arm::new("cuda:0", profile(DeviceKind::Cuda))];
        let call = |place| Call { work: 3, rows: 1000, place };
        let cells = vec![
            GridCell { call: call(Place::Host), rows_out: 7, samples: vec![vec![1.5, 2.0], vec![3.0]] },
            GridCell { call: call(Place::Resident(1)), rows_out: 0, samples: vec![vec![1.5], vec![]] },
        ];
        let text = write(&Grid::of(arms, Vec::new(), cells));
        let (arms, cells) = read(&text).expect("it was written just now");
        assert_eq!(write(&Grid::of(arms, Vec::new(), cells)), text);
        assert!(text.ends_with("cell 3 1000 1 0 1.5 |\n"), "{text}");
        assert!(read("cell 1").is_err() && read("arm a nothing").is_err());
    }
}
