import { plain } from '../compose'
import type { Run } from '../run'
import type { Intent } from './grammar/intent'
import { itemsOf, markOf, named, saidFault, tell, textOf } from './outcome'
import { fitting, notesOf, oneNote, queryOf } from './targets'

type Of<Kind extends Intent['kind']> = Extract<Intent, { readonly kind: Kind }>

const SENTENCES = 5
const SHOWN = 10

export async function createNote(run: Run, { title, body, tags }: Of<'create_note'>): Promise<void> {
  if (title === null) return run.say('What shall the note say? For example: Create a note called "Plan": buy paint.')
  tell(run, await run.call('create_note', { title, body, ...(tags.length > 0 && { tags }) }))
}

export async function appendNote(run: Run, { note, text }: Of<'append_note'>): Promise<void> {
  const target = await oneNote(run, note)
  if (target) tell(run, await run.call('update_note', { id: target.id, append: text }))
}

/** Titles of notes that hold the words, with the place that was found. */
export async function findNotes(run: Run, { query }: Of<'find_notes'>): Promise<void> {
  const outcome = await run.call('search', { query: queryOf(query), types: ['note'], limit: SHOWN })
  if (saidFault(run, outcome)) return
  const items = itemsOf(outcome.result, 'items')
  if (items.length === 0) return run.say(`I found no note with the words ${named(query)}.`)
  const lines = items.map((item, i) => {
    const preview = plain(textOf(item, 'preview'))
    const shown = preview === '' ? '' : `: ${preview}`
    return `${i + 1}. ${named(textOf(item, 'title'))}${shown}${markOf(run, outcome.sources, textOf(item, 'id'))}`
  })
  run.say(`Notes with words of ${named(query)}:\n${lines.join('\n')}`)
}

/** The best sentences of the one note of that title, else of the first note that its words find; each is cited. */
export async function summarizeNote(run: Run, { note }: Of<'summarize'>): Promise<void> {
  const found = await notesOf(run, note.words)
  if (!found) return
  if (fitting(note, found).length > 1) return void (await oneNote(run, note))
  const id = (fitting(note, found)[0] ?? found[0])?.id
  if (id === undefined) return run.say(`I found no note called ${named(note.words)}.`)
  const outcome = await run.call('summarize', { id, sentences: SENTENCES })
  if (saidFault(run, outcome)) return
  const [title, { sources }] = [named(textOf(outcome.result, 'title')), outcome]
  const lines = sources.map(
    (source) => `- "${plain(source.text.slice(source.start, source.end))}" [${run.cite(source)}]`,
  )
  run.say(lines.length > 0 ? `From ${title}:\n${lines.join('\n')}` : `The note ${title} has no sentence to quote.`)
}
