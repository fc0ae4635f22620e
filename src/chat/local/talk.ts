/**
 * What the earlier turns of a conversation tell about the last message: the client's own text, and nothing of it is
 * stored. An answer is read as it was sent back, so it decides what is meant, and never what may be done.
 */
import { fold } from '../../search/fold'
import { type Command, type Named, readCommand, readListPlace, readNamed } from './commands'
import { QUOTE_LINE, type Turn } from './question'
import { answerLines, phrasesOf } from './replies'

/** A thing that an answer names. */
export interface Mentioned {
  readonly type: 'note' | 'task' | 'card'
  readonly title: string
  /** Whether the answer quotes it, so that the first of several is the likeliest. */
  readonly isQuoted: boolean
}

/** What one answer names: what it quotes or changed, and what it lists, each in its place, also twice. */
interface NamedByAnswer {
  readonly named: readonly Mentioned[]
  readonly listed: readonly Mentioned[]
}

/** A title can have quotation marks of its own: it ends before what a list writes behind one. */
const LISTED_TITLE = /^(?:-|\d{1,2}\.) "(.+?)"(?=$|, | \[\d+\]$|: )/
/** A thing that was changed, or waits to be; a quotation within its title names nothing. */
const CHANGED_TITLE =
  /^[^"]*(?<!\p{L})(note|task|flashcard|Notiz|Aufgabe|Karte|tâche|carte|nota|tarea|tarjeta) "((?:[^"]|"[^"\s][^"]*")+?)"(?=[.,:;?]| to the trash| in den | à la | a la | with its | [a-zàéíñß(]|$)/u
const TYPES: Readonly<Record<string, Mentioned['type']>> = {
  ...{ note: 'note', Notiz: 'note', nota: 'note' },
  ...{ flashcard: 'card', Karte: 'card', carte: 'card', tarjeta: 'card' },
}
const typeOf = (noun: string): Mentioned['type'] => TYPES[noun] ?? 'task'
const QUOTED_TYPES = /^(?:Task|Aufgabe|Tâche|Tarea)/u
const CARD_TYPES = /^(?:Card|Karte|Carte|Tarjeta)/u

/** Reads what an answer names, line by line. Changes that it shows as quotations name nothing. */
function readAnswer(answer: string): NamedByAnswer {
  const named: Mentioned[] = []
  const listed: Mentioned[] = []
  let list: Mentioned['type'] | null = null
  for (const line of answer.split('\n')) {
    const quoted = QUOTE_LINE.exec(line)?.groups?.title ?? answerLines.source(line)
    const [, item] = LISTED_TITLE.exec(line) ?? []
    if (quoted !== undefined) {
      const type = CARD_TYPES.test(line) ? 'card' : QUOTED_TYPES.test(line) ? 'task' : 'note'
      named.push({ type, title: quoted, isQuoted: true })
      list = null
    } else if (item !== undefined) {
      if (list) listed.push({ type: list, title: item, isQuoted: false })
    } else if (!line.startsWith('> ')) {
      list = answerLines.heading(line)
      const [, noun, title] = CHANGED_TITLE.exec(line) ?? []
      if (noun !== undefined && title !== undefined) named.push({ type: typeOf(noun), title, isQuoted: false })
    }
  }
  const distinct = new Map(named.map((item) => [`${item.type} ${item.title}`, item]))
  return { named: [...distinct.values()], listed }
}

/** Turns that are read, from the last one back: what was meant earlier hardly ever counts. */
const MAX_TURNS = 6

export type Talk = ReturnType<typeof readTalk>

/** Reads what the turns before the last message were about. */
export function readTalk(all: readonly Turn[]) {
  const turns = all.slice(-MAX_TURNS)
  const answers = turns
    .slice(0, -1)
    .map(({ answer }) => answer)
    .toReversed()
  const items = answers.map(readAnswer)
  return {
    turns,
    /** The message before the last one; '' for none. */
    asked: turns.at(-2)?.text ?? '',
    /** The last answer; '' for none. */
    answer: answers[0] ?? '',
    /** The answers that are read, the last one first. */
    answers: answers.filter((answer) => answer !== ''),
    /** What each of these names. */
    items,
  }
}

/** Lists the codes that answers ask to be confirmed, outside of what they quote. */
export const listAskedCodes = (answers: readonly string[]): string[] =>
  answers
    .flatMap((answer) => answer.split('\n'))
    .filter((line) => !line.startsWith('> ') && !QUOTE_LINE.test(line) && line.includes('Reply: confirm '))
    .flatMap((line) => Array.from(line.matchAll(/\bconfirm ([2-9][0-9a-z]{5})\b/g), ([, code]) => code ?? ''))

const END = '[\\s.!?]*$'
const one =
  '(?:yes(?:,? please)?|yeah|yep|ok|okay|o\\.k\\.|sure|do it|go ahead|confirm(?: (?:it|that))?|ja|mach das|klar|gern|oui|d.accord|vas-y|sí|si|hazlo|no|nope|cancel(?: (?:it|that))?|keep it|leave it|nein(?:,? danke)?|lass es|behalte es|non|laisse|garde-l[ea]|déjalo|laisse tomber)'
/** A message that is a decision: it decides nothing here, since only the code of what waits does. */
const DECIDES = new RegExp(`^${one}(?:[\\s,.!]+${one}){0,2}${END}`, 'iu')
const KEEPS = new RegExp(`^(?:no[, ]+)?(?:keep it|leave it|behalte es|lass es|laisse|garde-l[ea]|déjalo)${END}`, 'iu')

/** Whether a message says yes or no, and to which answers: all of them. */
export const isDecision = (message: string): boolean => message.length <= 100 && DECIDES.test(message.trim())
export const isKeeping = (message: string): boolean => KEEPS.test(message.trim())

const LATELY =
  /^(?:what did you (?:just )?do|what was that|what have you (?:just )?done|what did you change|was hast du (?:gerade |eben )?(?:gemacht|getan)|qu'est-ce que tu (?:viens de faire|as fait)|qué (?:has hecho|acabas de hacer|hiciste))[\s.!?]*$/iu
export const asksLately = (message: string): boolean => LATELY.test(message.trim().replace(/^¿/, ''))

/** Finds the lines of the last answer that did something. */
export function findLately({ answers }: Talk): readonly string[] {
  const isDone = (line: string) => CHANGED_TITLE.test(line) && !line.includes('?') && !/^(?:Several|I )/.test(line)
  return answers.map((answer) => answer.split('\n').filter(isDone)).find((lines) => lines.length > 0) ?? []
}

const SAVES = [
  /^(?:save|store|keep|remember|write down|note down|put) (?:that|this|it|the answer)(?: (?:down|in a note|as a (?:new )?note))?(?: (?:called|named|titled|as) (?<n>.+?))?$/iu,
  /^(?:speicher|speichere|merk dir|notier|notiere|sicher|sichere) (?:das|es|dies)(?: als (?:neue )?notiz)?(?: (?:namens|unter) (?<n>.+?))?$/iu,
  /^(?:enregistre|sauvegarde|retiens|note|garde)[ -](?:ça|cela|le|la)(?: (?:comme|dans une) (?:nouvelle )?note)?(?: (?:intitulée|appelée|nommée) (?<n>.+?))?$/iu,
  /^(?:guarda|recuerda|anota|apunta) (?:eso|esto)(?: (?:como|en una) (?:nueva )?nota)?(?: (?:llamada|titulada) (?<n>.+?))?$/iu,
]

/** Reads "save that as a note": the title that it gives, '' for none; null for any other message. */
export function readSave(message: string): string | null {
  const text = message
    .trim()
    .replace(/[.!?]+$/, '')
    .replace(/^(?:please|bitte|por favor),? |[, ]+(?:please|bitte|por favor|s'il te plaît)$/giu, '')
  const found = SAVES.map((pattern) => pattern.exec(text)).find((one) => one !== null)
  return found ? readNamed(found.groups?.n ?? '').words : null
}

const NEW_TIME =
  /^(?:(?:no|nein|non)[,.]? )?(?:make it|make that|better|rather|change it to|move it to|let's say|say|mach|lieber|besser|doch|plutôt|mets|mejor|que sea|ponlo)? ?(?:on |am |den |le |el |auf |au |para )?(?<w>.+?)(?: draus| instead| lieber| plutôt| mejor)?$/iu

/** Reads a message that is only a time, for what was mentioned last: "make it friday", "tomorrow at 10"; null for any other. */
export const readNewTime = (message: string): string | null =>
  message.length <= 60 ? (NEW_TIME.exec(message.trim().replace(/[.!]+$/, ''))?.groups?.w ?? null) : null

/** Finds what words such as "it" or "the second one" stand for, in the last answer that has such a thing; several are as likely. */
export function findMentioned(
  { items }: Talk,
  { words, type }: Pick<Named, 'words' | 'type'>,
  types: readonly Mentioned['type'][],
): readonly Mentioned[] {
  const place = readListPlace(words)
  const fits = (list: readonly Mentioned[]) => list.filter((one) => (type ? [type] : types).includes(one.type))
  for (const { named, listed } of items) {
    if (place !== null) {
      const list = fits(listed.length > 0 ? listed : named)
      if (list.length > 0) return [list.at(place)].filter((one) => one !== undefined)
      continue
    }
    const [first, ...others] = fits(named)
    // Of several quotations the first is the answer; several things that were done are as likely.
    if (first) return first.isQuoted || others.length === 0 ? [first] : [first, ...others]
    const distinct = new Map(fits(listed).map((item) => [item.title, item]))
    if (distinct.size > 0) return [...distinct.values()]
  }
  return []
}

/** Reads a choice from the list of an answer, by its place or its title: the command before, about that thing; null for none. */
export function readChoice(message: string, talk: Talk): Command | null {
  if (message.includes('?')) return null
  if (!phrasesOf('several').some((pattern) => pattern.test(talk.answer))) return null
  const words = readNamed(message.replace(/[.!]$/, '')).words
  const place = readListPlace(words)
  const listed = talk.items[0]?.listed ?? []
  const chosen = place === null ? listed.find(({ title }) => fold(title) === fold(words)) : listed.at(place)
  const command = chosen && readCommand(talk.asked)
  if (!command || chosen.type === 'card') return null
  return { ...command, named: { words: chosen.title, quoted: true, type: chosen.type, points: false } }
}
