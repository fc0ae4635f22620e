/** Own sentences: questions in other words, and several actions in one message. */
import { join } from 'node:path'
import { type Figure, toShareFigure } from '../figures'
import type { NoteText } from '../satchel'
import type { Part } from '../search/compare'
import { startAsker } from './asker'
import type { Show } from './own'

const read = (name: string) => Bun.file(join(import.meta.dir, '../data/chat', name)).json()

/** Notes with questions in other words than theirs; `answer` is a piece of the sentence that answers. */
export type ParaphraseData = Readonly<
  Record<
    Part,
    readonly (NoteText & {
      readonly asked: readonly { readonly kind: string; readonly question: string; readonly answer: string }[]
    })[]
  >
>

/** A message and the titles of all that it asks to make. */
export interface SeveralActions {
  readonly text: string
  readonly made: readonly string[]
}

export const readParaphrases = (): Promise<ParaphraseData> => read('paraphrases.json')
export const readSeveral = (): Promise<SeveralActions[]> => read('several.json')

const LEAST_PARAPHRASES = { words: 0.25, meaning: 0.6 }

/** Measures how often the sentence that answers is quoted first, in a workspace with the notes of both parts. */
export async function measureParaphrases(part: Part, meaning: boolean, show: Show): Promise<Figure> {
  const data = await readParaphrases()
  const notes = [...data.dev, ...data['held-out']]
  const asker = await startAsker(notes, meaning)
  const asked = data[part].flatMap((note) => note.asked.map((one) => ({ ...one, id: asker.ids[notes.indexOf(note)] })))
  let right = 0
  for (const { kind, question, answer, id } of asked) {
    const { quotes } = await asker.ask(question)
    if (quotes[0]?.id === id && holds(quotes[0]?.quote, answer)) right++
    else show(`${kind}: ${question} → ${quotes[0]?.quote}`)
  }
  await asker.close()
  const least = meaning ? LEAST_PARAPHRASES.meaning : LEAST_PARAPHRASES.words
  const what = `questions in other words, right sentence first, ${meaning ? 'with meaning' : 'by words alone'}`
  return toShareFigure(what, { right, of: asked.length }, least)
}

/** Whether the quotation has the sentence that the answer is a piece of. */
const holds = (quote: string | undefined, answer: string) => quote?.includes(answer) ?? false

/** Measures how often all that a message asks to make is made. */
export async function measureSeveral(show: Show): Promise<Figure> {
  const asker = await startAsker([])
  const messages = await readSeveral()
  let right = 0
  for (const { text, made } of messages) {
    const answer = await asker.tell(text)
    if (JSON.stringify(answer.made) === JSON.stringify(made)) right++
    else show(`several: ${JSON.stringify(text)} → ${JSON.stringify(answer.made)}`)
  }
  await asker.close()
  return toShareFigure('several actions in one message, all done', { right, of: messages.length }, 0.85)
}
