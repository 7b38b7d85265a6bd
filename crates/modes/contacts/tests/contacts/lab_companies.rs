//! Precision and recall on the generated companies, with the goals as thresholds.

use lab::Company;

use crate::scoring::AccuracyReport;

#[test]
fn lab_companies_reach_the_accuracy_goal() {
    let report = AccuracyReport::of(&Company::all());
    let table: String = report
        .fields
        .iter()
        .map(|(field, score)| {
            format!(
                "{field:<16} P {:.3}  R {:.3}  F1 {:.3}\n",
                score.precision(),
                score.recall(),
                score.f1()
            )
        })
        .collect();
    let differences = report.differences.join("\n");
    println!("{table}\n{differences}\nforeign: {:#?}", report.foreign);
    let goals = [
        ("email", 0.95),
        ("phone", 0.95),
        ("vat", 0.95),
        ("registration", 0.95),
        ("legal name", 0.93),
        ("address", 0.93),
        ("social", 0.93),
        ("status", 0.95),
    ];
    for (field, goal) in goals {
        let score = report.fields[field];
        assert!(
            score.precision() >= goal && score.recall() >= goal,
            "{field}\n{table}\n{differences}"
        );
    }
    assert_eq!(report.foreign, Vec::<String>::new());
}
