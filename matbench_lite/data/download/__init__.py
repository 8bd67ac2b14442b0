"""Fetching a file: from several addresses, with retries, resumed where it broke off, and checked."""

from matbench_lite.data.download.addresses import download
from matbench_lite.data.download.mirrors import mirror_urls
from matbench_lite.data.download.policy import DownloadPolicy

__all__ = ["DownloadPolicy", "download", "mirror_urls"]
