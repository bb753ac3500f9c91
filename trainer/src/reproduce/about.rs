//! Where and how numbers were made: what stands beside them.

/// The circumstances of a table.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct About {
    /// Size of the reproduction.
    pub size: &'static str,
    /// What everybody must know of that size.
    pub warning: Option<&'static str>,
    /// Seeds of the runs.
    pub seeds: Vec<u64>,
    /// Members of an evaluation.
    pub members: u32,
    /// Each data set in words.
    pub data: Vec<String>,
    /// Each training: name, parameters, and the numbers of its procedure.
    pub trainings: Vec<Trained>,
    /// The processor and its cores.
    pub machine: String,
    /// Where the networks ran.
    pub device: String,
    /// The command as it was typed.
    pub command: String,
    /// Version of the program.
    pub version: &'static str,
    /// Day on which the table was written.
    pub date: String,
    /// Seconds that its jobs took, those it shares with other tables included.
    pub seconds: f64,
}

/// A training in numbers.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Trained {
    /// Name of its run folders.
    pub name: String,
    /// Parameters of the network.
    pub parameters: usize,
    /// Points of a training case.
    pub grid: String,
    /// Modes of the network; of a UNO those of its first level.
    pub modes: String,
    /// Cases per step.
    pub batch: usize,
    /// Learning rate at the start.
    pub learning_rate: f64,
    /// Most epochs.
    pub epochs: usize,
    /// What is minimised, with how many members.
    pub loss: String,
    /// Dropout of weights and of coefficients.
    pub dropout: [f32; 2],
}

/// The processor and its cores.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let plural = if cores == 1 { "" } else { "s" };
    format!("{cores} core{plural}, {}", processor())
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    named(&text).unwrap_or_else(|| format!("a {} processor", std::env::consts::ARCH))
}

/// The name in Linux's list of processors.
fn named(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo
        .lines()
        .find(|line| line.starts_with("model name"))?;
    let name = line.split_once(':')?.1.split_whitespace();
    Some(name.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_found_in_linuxs_list() {
        let text = "processor\t: 0\nmodel name\t: A  Fast CPU @ 2 GHz\nflags\t: x\n";
        assert_eq!(named(text).as_deref(), Some("A Fast CPU @ 2 GHz"));
        assert_eq!(named("processor: 0"), None);
        assert!(machine().contains("core"));
    }
}
