import { toAnswerText } from '../answer-text'
import type { EngineRun } from '../engine'
import type { Intent, NamedItem } from './grammar/intent'
import { quotePlainTitle, readObjectList, readTextMember, sayFault, sayOutcome, writeCitationMark } from './outcome'
import { cutQuery, filterByName, findNotesWithWords, findOneNote } from './targets'

type Of<Kind extends Intent['kind']> = Extract<Intent, { readonly kind: Kind }>

const SUMMARY_SENTENCES = 5
const MAX_SHOWN = 10

/** Creates a note, or asks for its text. */
export async function createNote(run: EngineRun, { title, body, tags }: Of<'create_note'>): Promise<void> {
  if (title === null) return run.say('What shall the note say? For example: Create a note called "Plan": buy paint.')
  sayOutcome(run, await run.call('create_note', { title, body, ...(tags.length > 0 && { tags }) }))
}

/** Appends text to the note with a name. */
export async function appendNote(run: EngineRun, { note, text }: Of<'append_note'>): Promise<void> {
  const target = await findOneNote(run, note)
  if (target) sayOutcome(run, await run.call('update_note', { id: target.id, append: text }))
}

/** Changes the note with a name: its title, its folder, or its text. */
export async function changeNote(
  run: EngineRun,
  note: NamedItem,
  change:
    | { readonly title: string }
    | { readonly folder: string }
    | { readonly replace: string; readonly find?: string },
): Promise<void> {
  const target = await findOneNote(run, note)
  if (target) sayOutcome(run, await run.call('update_note', { id: target.id, ...change }))
}

/** Lists the notes with the words, each with the passage that was found. */
export async function findNotes(run: EngineRun, { query }: Of<'find_notes'>): Promise<void> {
  const outcome = await run.call('search', { query: cutQuery(query), types: ['note'], limit: MAX_SHOWN })
  if (sayFault(run, outcome)) return
  const items = readObjectList(outcome.result, 'items')
  if (items.length === 0) return run.say(`I found no note with the words ${quotePlainTitle(query)}.`)
  const lines = items.map((item, i) => {
    const preview = toAnswerText(readTextMember(item, 'preview'))
    const shown = preview === '' ? '' : `: ${preview}`
    return `${i + 1}. ${quotePlainTitle(readTextMember(item, 'title'))}${shown}${writeCitationMark(run, outcome.sources, readTextMember(item, 'id'))}`
  })
  run.say(`Notes with words of ${quotePlainTitle(query)}:\n${lines.join('\n')}`)
}

/** Quotes the best sentences of the note with that title, else of the first note that the words find; each is cited. */
export async function summarizeNote(run: EngineRun, { note }: Of<'summarize'>): Promise<void> {
  const found = await findNotesWithWords(run, note.words)
  if (!found) return
  if (filterByName(note, found).length > 1) return void (await findOneNote(run, note))
  // A title in quotation marks means no other note.
  const id = (filterByName(note, found)[0] ?? (note.quoted ? undefined : found[0]))?.id
  if (id === undefined) return run.say(`I found no note called ${quotePlainTitle(note.words)}.`)
  const outcome = await run.call('summarize', { id, sentences: SUMMARY_SENTENCES })
  if (sayFault(run, outcome)) return
  const [title, { sources }] = [quotePlainTitle(readTextMember(outcome.result, 'title')), outcome]
  const lines = sources.map(
    (source) => `- "${toAnswerText(source.text.slice(source.start, source.end))}" [${run.cite(source)}]`,
  )
  run.say(lines.length > 0 ? `From ${title}:\n${lines.join('\n')}` : `The note ${title} has no sentence to quote.`)
}
