"""Pages of a judgement: one file each, without scripts and without any request to elsewhere."""

from matbench_lite.judge.pages.dossier_page import dossier_page
from matbench_lite.judge.pages.judgement_page import judgement_page

__all__ = ["dossier_page", "judgement_page"]
