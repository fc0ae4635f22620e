import type { GrammarMessage, GrammarRule, Intent, ReadIntent, WriteIntent } from './intent'

type Groups = Readonly<Record<string, string>>

/** A pattern of a whole head with its meaning, which is null if the groups do not fit together. */
interface SentenceForm {
  readonly pattern: RegExp
  readonly meaning: (groups: Groups, message: GrammarMessage) => Intent | null
  readonly writes: boolean
}

/** A rule for one subject: the first form that matches decides. */
export interface SentenceForms extends GrammarRule {
  readonly forms: readonly SentenceForm[]
}

type Meaning<Means extends Intent> = (groups: Groups, message: GrammarMessage) => Means | null

const compileWhole = (pattern: string) => new RegExp(`^(?:${pattern})$`, 'i')

/** Creates a form that only reads. Its pattern has to match the whole head. */
export const readForm = (pattern: string, meaning: Meaning<ReadIntent>): SentenceForm => ({
  pattern: compileWhole(pattern),
  meaning,
  writes: false,
})

/** Creates a form that changes something: it matches only commands. */
export const commandForm = (pattern: string, meaning: Meaning<WriteIntent>): SentenceForm => ({
  pattern: compileWhole(pattern),
  meaning,
  writes: true,
})

/** Creates a rule of forms, of which the first match counts. */
export function firstForm(forms: readonly SentenceForm[]): SentenceForms {
  const rule = (message: GrammarMessage) => {
    for (const { pattern, meaning, writes } of forms) {
      const match = writes && !message.command ? null : pattern.exec(message.head)
      const intent = match && meaning(trimGroups(match.groups), message)
      if (intent) return intent
    }
    return null
  }
  return Object.assign(rule, { forms })
}

function trimGroups(groups: Readonly<Record<string, string | undefined>> | undefined): Groups {
  const found = Object.entries(groups ?? {}).filter(([, text]) => text !== undefined)
  return Object.fromEntries(found.map(([name, text]) => [name, text?.replace(/^[\s,:;-]+|[\s,;]+$/g, '') ?? '']))
}

// Pieces of patterns for the names of the task list. All are for the flag `i`.

/** Excludes other lists that people keep, and words that cannot come before `list`. */
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
