/** Pieces of patterns: how people call their list of tasks. All are for the flag `i`. */

/** Lists of other things that people keep; the words before `list` must be none of these. */
const OTHER =
  '(?!(?:shopping|shop|grocery|groceries|play|song|music|wish|guest|watch|reading|contact|packing|price|mailing|friends?|waiting|black|bucket|off|on|of|from|in|onto|into|out|my|the|and|is|are|for)\\b)'
const WORD = `${OTHER}[\\w'-]+ `
const TODO = "(?:to-? ?do'?s?|todo'?s?)"
const THING = `(?:${TODO}|tasks?|reminders?|chores?|errands?|agenda)`
const OF = `(?:${WORD}){0,3}?(?:${THING}|housework|things (?:that )?(?:i |we )?(?:(?:have|need|want|wanted|asked you) )?to (?:do|remember|accomplish|complete|get done)(?: (?:today|for later))?|(?:\\w+ )?to do|things i have to do(?: today)?)(?: to (?:complete|accomplish|do))?`

/** "my to-do list", "the list of things to do", "my list", "our agenda". */
export const LIST_NOUN = `(?:(?:my|the|our|this|your) )?(?:(?:${WORD}){0,3}?(?:${THING}|to|need to do|things to do) ?-?lists?|(?:${WORD}){0,2}?lists?(?: of| to)? ${OF})|my (?:reminders?|tasks|${TODO}|agenda|chores)|my list(?! of\\b)`

/** A single thing of that list. */
export const TASK_NOUN = `(?:task|${TODO}|reminder|chore|errand)(?: item)?`
