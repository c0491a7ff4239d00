// A page on a disk may not read others: search then shows titles without a line of text below each.
if (location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}
