import type { TimeLanguage } from '../../../lib/civil/languages'
import { isForeignOrder, readListQuestion, readSlotQuestion } from './ask'
import { CELLS, type Cell, LOOSE_CELLS, TALK_CELLS } from './cells'
import type { GrammarMessage, Intent } from './intent'
import { LEAD_CELLS } from './leads'
import { readMessage, withoutBefore, withoutCourtesy } from './message'
import type { Reading } from './new-items'
import { matchShape, Sentence } from './shapes'
import { classesIn, LANGUAGES, VERB_CLASSES } from './words'

/** A command, and how it was read. */
interface ReadCommand {
  readonly intent: Intent
  /** The name of its cell. */
  readonly cell: string
  readonly language: TimeLanguage
}

/** Reads a command, or a request to find or to sum up notes, in any language; null for any other message. */
export const readCommand = (message: GrammarMessage): ReadCommand | null =>
  readIn(CELLS, message) ?? readIn(LEAD_CELLS, message) ?? readCourteous(message)

/** Reads what may be a command; null for any other message. Nothing of it is done before the caller is asked. */
export const readSupposed = (message: GrammarMessage): ReadCommand | null => readIn(LOOSE_CELLS, message)

function readIn(cells: readonly Cell[], message: GrammarMessage): ReadCommand | null {
  for (const language of LANGUAGES) {
    const reading = { ...message, language }
    const sentence = withoutPlease(message.words.in(language))
    const command = readCells(cells, sentence, reading) ?? readVerbLast(cells, sentence, reading)
    if (command) return command
  }
  return null
}

function readCells(cells: readonly Cell[], sentence: Sentence, reading: Reading): ReadCommand | null {
  const mayWrite = reading.command && (reading.language === 'en' || !refuses(sentence))
  for (const { name, writes, shapes, means } of cells)
    for (const shape of writes && !mayWrite ? [] : shapes) {
      const slots = matchShape(shape, sentence)
      const intent = slots && means(slots, reading)
      if (intent) return { intent: inLanguage(intent, reading), cell: name, language: reading.language }
    }
  return null
}

/** Dates in a command are read in its language; in an English one, in that of the workspace, which reads English too. */
function inLanguage(intent: Intent, { language }: Reading): Intent {
  return intent.kind === 'add_task' && language !== 'en' ? { ...intent, language } : intent
}

/** Whether a line refuses, asks or tells something; in English the guard of message.ts tells. */
function refuses(sentence: Sentence): boolean {
  return (
    sentence.tokens.some((_, at) => sentence.has('refuse', at)) ||
    sentence.has('subject', 0) ||
    sentence.has('subject', 1) ||
    hasInfinitiveAsSubject(sentence)
  )
}

/** "Supprimer la note "Maison" serait une erreur", "añadir una tarea es fácil". */
function hasInfinitiveAsSubject(sentence: Sentence): boolean {
  const object = sentence.tokens.findIndex((_, at) => OBJECTS.some((name) => sentence.has(name, at)))
  const after = sentence.tokens[object + 1]?.quoted ? object + 2 : object + 1
  return object > 0 && sentence.has('copula', after)
}
const OBJECTS = classesIn('task notes cards')

/** Takes courtesy off both ends. */
function withoutPlease(sentence: Sentence): Sentence {
  let [from, to] = [0, sentence.tokens.length]
  for (;;) {
    const [end = from] = sentence.endsOf('please', from)
    if (end === from || end >= to) break
    from = end
  }
  for (let at = to - 4; at < to; at++) if (at > from && sentence.endsOf('please', at).includes(to)) to = at
  return sentence.part(from, to)
}

const isVerb = (sentence: Sentence, at: number): boolean => VERB_CLASSES.some((name) => sentence.has(name, at))

/** Reads a sentence whose verb comes last: "die Aufgabe Miete auf Freitag verschieben". */
function readVerbLast(cells: readonly Cell[], sentence: Sentence, reading: Reading): ReadCommand | null {
  const last = sentence.tokens.length - 1
  if (reading.language !== 'de' || last < 1 || !isVerb(sentence, last)) return null
  return readCells(cells, sentence.verbFirst(), reading)
}

/** Reads a command behind words of courtesy in any order. "I need to call Ann" names no task, so it is none. */
function readCourteous(message: GrammarMessage): ReadCommand | null {
  for (const head of withoutCourtesy(message.head)) {
    const command = readCells(CELLS, new Sentence(head, 'en'), { ...message, head, language: 'en' })
    if (command) return command
  }
  return null
}

/** Whether a text begins with a verb of commands in any language. */
export const beginsWithVerb = (text: string): boolean =>
  LANGUAGES.some((language) => isVerb(withoutPlease(new Sentence(withoutBefore(text), language)), 0))

/** Reads the intent of a message; null if it is a question to the notes. Never throws. */
export function readIntent(text: string): Intent | null {
  const message = readMessage(text)
  if (message.head === '') return null
  const intent = readCommand(message)?.intent ?? null
  // "Show notes tagged x" finds notes by words as well, but a question of which every word is read counts more.
  if (intent && intent.kind !== 'find_notes') return intent
  return readSlotQuestion(message) ?? intent ?? readIn(TALK_CELLS, message)?.intent ?? readListQuestion(message)
}

/** Whether a message without an intent is an order for something that this server does not do. */
export function isUnknownOrder(text: string): boolean {
  return isForeignOrder(readMessage(text), text)
}
