"""Findings as a collection: chosen by their fields, as a data frame, as a figure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from portrayal.errors import PortrayalError, one_of
from portrayal.findings.charts import forests
from portrayal.findings.finding import Finding
from portrayal.studies import did_you_mean

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

FIELDS = tuple(one.name for one in fields(Finding) if one.name != "details")


class Findings(tuple[Finding, ...]):
    """The findings of an audit, in order."""

    __slots__ = ()

    def filter(self, **wanted: Any) -> Findings:
        """Return the findings with these values.

        Args:
            wanted: By a finding's field, or a key of its details: the value, or several values in a
                list, tuple or set. `None` is what has no value: `estimate=None`.

        Raises:
            PortrayalError: No finding has such a field, or none has such a value.
        """
        found = self
        for name, value in wanted.items():
            several = isinstance(value, Collection) and not isinstance(value, str)
            allowed = list(value) if several else [value]
            self._check(name, allowed)
            found = Findings(one for one in found if _value(one, name) in allowed)
        return found

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame, one row per finding; `details` are dictionaries."""
        import pandas as pd

        columns = [one.name for one in fields(Finding)]
        return pd.DataFrame([asdict(one) for one in self], columns=columns)

    def plot(self, *, level: float = 0.05) -> alt.LayerChart | alt.VConcatChart:
        """Draw estimates with intervals, one figure per statistic.

        Args:
            level: Findings with a q below it stand out.

        Raises:
            PortrayalError: No finding has an estimate.
        """
        import altair as alt

        charts = list(forests(self, level=level))
        if not charts:
            raise PortrayalError(
                f"none of {len(self)} findings has an estimate to plot; their `reason` says why"
            )
        return charts[0] if len(charts) == 1 else alt.vconcat(*charts)

    def _check(self, name: str, values: list[Any]) -> None:
        known = list(dict.fromkeys([*FIELDS, *(key for one in self for key in one.details)]))
        if name not in known:
            raise PortrayalError(
                f"findings have no field {name!r}{did_you_mean(name, known)}; "
                f"allowed: {one_of(known)}"
            )
        there = [_value(one, name) for one in self]
        texts = list(dict.fromkeys(one for one in there if isinstance(one, str)))
        numbers = any(isinstance(one, (int, float)) for one in there)
        for value in values:
            if value is None or value in there or not there:
                continue
            if not (numbers and isinstance(value, (int, float))):
                raise PortrayalError(
                    f"no finding has {name} = {value!r}{did_you_mean(value, texts)}; "
                    f"allowed: {one_of(texts) or 'a number'}"
                )

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        items = handler.generate_schema(Finding)
        return core_schema.no_info_after_validator_function(
            cls,
            core_schema.tuple_variable_schema(items),
            serialization=core_schema.plain_serializer_function_ser_schema(
                tuple, return_schema=core_schema.tuple_variable_schema(items)
            ),
        )


def _value(finding: Finding, name: str) -> Any:
    return getattr(finding, name) if name in FIELDS else finding.details.get(name)
