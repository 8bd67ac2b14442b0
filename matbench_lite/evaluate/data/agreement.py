"""Whether the data are what the evaluation file says."""

from __future__ import annotations

from collections.abc import Sequence

from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.data.dataset import Groups
from matbench_lite.evaluate.file.specification import Evaluation


def check_data(evaluation: Evaluation, test: Groups, others: Sequence[Groups | None]) -> None:
    """See that domains, response types and target columns are those of the data.

    Args:
        evaluation: The evaluation.
        test: The rows to predict.
        others: All other data.

    Raises:
        EvaluationError: With the key, its value, and what is allowed.
    """
    _check_stated(evaluation, test, others)
    _check_targets(evaluation, test)


def _check_stated(evaluation: Evaluation, test: Groups, others: Sequence[Groups | None]) -> None:
    """`domains` and `response_types`, where given, are those of the data."""
    for key, attribute in (("domains", "domain"), ("response_types", "response_type")):
        stated = getattr(evaluation, key)
        if stated is None:
            continue
        tested = _values(test, attribute)
        anywhere = tested.union(*(_values(groups, attribute) for groups in others if groups is not None))
        if missing := sorted(tested - set(stated)):
            raise EvaluationError(
                f"{key}: {list(stated)} lacks {', '.join(missing)}, which the test data has",
                fix=f"give {sorted(tested)}, or leave it out",
            )
        if unknown := sorted(set(stated) - anywhere):
            raise EvaluationError(
                f"{key}: {list(stated)} has {', '.join(unknown)}, which the data has not",
                fix=f"give {sorted(tested)}, or leave it out",
            )


def _check_targets(evaluation: Evaluation, test: Groups) -> None:
    first = next(iter(test.values()))[0]
    for target in evaluation.targets:
        if target.column not in first.targets:
            known = ", ".join(first.columns) or "none"
            raise EvaluationError(
                f"{target.key}data_column: {target.column!r} is not a column of the test data",
                fix=f"give another column: {known}",
            )
    for target in evaluation.targets[1:]:
        for rows in test.values():
            for record in rows:
                value = record.targets[target.column]
                if value is None or value != value:  # NaN is not equal to itself
                    raise EvaluationError(
                        f"{target.key}data_column: {target.column!r} is missing in group {record.item.identifier!r}, "
                        f"sequence {record.item.sequence_number}",
                        fix="fill it in, or leave the row out",
                    )


def _values(groups: Groups, attribute: str) -> set[str]:
    return {getattr(record.item, attribute) for rows in groups.values() for record in rows}
