import { toAnswerText } from '../answer-text'
import type { EngineRun } from '../engine'
import type { Intent } from './grammar/intent'
import { citationMark, objectsIn, plainTitle, sayFault, sayOutcome, textIn } from './outcome'
import { findOneNote, matchingTargets, notesWithWords, queryOf } from './targets'

type Of<Kind extends Intent['kind']> = Extract<Intent, { readonly kind: Kind }>

const SENTENCES = 5
const SHOWN = 10

export async function createNote(run: EngineRun, { title, body, tags }: Of<'create_note'>): Promise<void> {
  if (title === null) return run.say('What shall the note say? For example: Create a note called "Plan": buy paint.')
  sayOutcome(run, await run.call('create_note', { title, body, ...(tags.length > 0 && { tags }) }))
}

export async function appendNote(run: EngineRun, { note, text }: Of<'append_note'>): Promise<void> {
  const target = await findOneNote(run, note)
  if (target) sayOutcome(run, await run.call('update_note', { id: target.id, append: text }))
}

/** Titles of notes that hold the words, with the place that was found. */
export async function findNotes(run: EngineRun, { query }: Of<'find_notes'>): Promise<void> {
  const outcome = await run.call('search', { query: queryOf(query), types: ['note'], limit: SHOWN })
  if (sayFault(run, outcome)) return
  const items = objectsIn(outcome.result, 'items')
  if (items.length === 0) return run.say(`I found no note with the words ${plainTitle(query)}.`)
  const lines = items.map((item, i) => {
    const preview = toAnswerText(textIn(item, 'preview'))
    const shown = preview === '' ? '' : `: ${preview}`
    return `${i + 1}. ${plainTitle(textIn(item, 'title'))}${shown}${citationMark(run, outcome.sources, textIn(item, 'id'))}`
  })
  run.say(`Notes with words of ${plainTitle(query)}:\n${lines.join('\n')}`)
}

/** The best sentences of the one note of that title, else of the first note that its words find; each is cited. */
export async function summarizeNote(run: EngineRun, { note }: Of<'summarize'>): Promise<void> {
  const found = await notesWithWords(run, note.words)
  if (!found) return
  if (matchingTargets(note, found).length > 1) return void (await findOneNote(run, note))
  const id = (matchingTargets(note, found)[0] ?? found[0])?.id
  if (id === undefined) return run.say(`I found no note called ${plainTitle(note.words)}.`)
  const outcome = await run.call('summarize', { id, sentences: SENTENCES })
  if (sayFault(run, outcome)) return
  const [title, { sources }] = [plainTitle(textIn(outcome.result, 'title')), outcome]
  const lines = sources.map(
    (source) => `- "${toAnswerText(source.text.slice(source.start, source.end))}" [${run.cite(source)}]`,
  )
  run.say(lines.length > 0 ? `From ${title}:\n${lines.join('\n')}` : `The note ${title} has no sentence to quote.`)
}
