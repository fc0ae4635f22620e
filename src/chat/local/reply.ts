/** Messages that only the answers before them explain: "complete it", "save that as a note", "undo that", "yes". */
import { cutCodePoints } from '../../lib/text'
import { fold } from '../../search/fold'
import { type Mentioned, type MentionedItem, withoutRepeats } from './conversation'
import { beginsWithVerb, readIntent } from './grammar/grammar'
import { type Intent, isWrite, type NamedItem, unquoteName } from './grammar/intent'
import { readMessage } from './grammar/message'
import { cutAtJoints, JOINT, MAX_ACTIONS, readSeveral } from './grammar/several'
import { LANGUAGES, phrasesIn } from './grammar/words'
import { TALK_WORDS, type TalkWords } from './talk-words'
import { NOTHING_WAITS, writeChosenTask, writeLately, writeSeveral, writeUnclear, writeWaiting } from './wording'

/** What such a message asks for: an action, a sentence, or to undo what the answers before did. */
export type Reply =
  | { readonly kind: 'intents'; readonly intents: readonly Intent[] }
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'undo' }

/** Code points of the title of a saved answer. */
const MAX_TITLE_CHARS = 80
/** UTF-16 units of a message that is read as a reply. */
const MAX_REPLY_UNITS = 300

const END = '[\\s.!?]*'
const WORDS = Object.values(TALK_WORDS)
/** Compiles whole messages, with or without courtesy. */
const whole = ({ please }: TalkWords, sentences: string) =>
  new RegExp(`^(?:(?:${please})[, ]+)?(?:${sentences})(?:[, ]+(?:${please}))?${END}$`, 'iu')

const TITLE = '["“„«]?(?<title>[^"“”„«»]+?)["”»]?'
const SAVES = WORDS.map((words) => whole(words, words.saveAnswer.replaceAll('{title}', TITLE)))
const UNDOES = WORDS.map((words) => whole(words, words.undo))
const LATELY = WORDS.map((words) => whole(words, words.lately))
const DECIDES = WORDS.map((words) => whole(words, words.yesOrNo))
/** Words that are a decision only while something waits, and several such words: "yes, do it". */
const AGREES = WORDS.map(({ yesOrNo }) => {
  const one = `(?:${yesOrNo}|ok|okay|o\\.k\\.|confirm (?:it|that))`
  return new RegExp(`^${one}(?:[\\s,.!]+${one}){0,2}${END}$`, 'iu')
})

/** Whether a message is such a sentence, with or without courtesy: "could you undo that?". */
const isOneOf = (patterns: readonly RegExp[], message: string): boolean =>
  message.length <= MAX_REPLY_UNITS &&
  [message.trim(), readMessage(message).head].some((text) => patterns.some((pattern) => pattern.test(text)))

/** Lists the answers whose questions a message would decide: yes, no and cancel all of them; "undo that" the last one. */
export function listDecided(message: string, { answer, answers }: Mentioned): readonly string[] {
  if (isOneOf(UNDOES, message)) return [answer]
  return isOneOf([...DECIDES, ...AGREES], message) ? answers : []
}

/** Lists the codes that answers ask to be confirmed, outside of what they quote. */
export const listAskedCodes = (answers: readonly string[]): string[] =>
  answers
    .flatMap((answer) => answer.split('\n'))
    .filter((line) => !/^(?:> |From )/.test(line) && line.includes('Reply: confirm '))
    .flatMap((line) => Array.from(line.matchAll(/\bconfirm ([2-9][0-9a-z]{5})\b/g), ([, code]) => code ?? ''))

/**
 * Reads a message that only the answers before it explain; null for any other.
 * @param waiting codes of the actions that wait, if the message is a decision
 */
export function readReply(message: string, mentioned: Mentioned, waiting: readonly string[]): Reply | null {
  const text = message.trim()
  if (text.length > MAX_REPLY_UNITS || /[\r\n]/.test(text)) return null
  if (waiting.length > 0) return { kind: 'say', text: writeWaiting(waiting) }
  if (isOneOf(DECIDES, text)) return { kind: 'say', text: NOTHING_WAITS }
  const lately = readLately(text, mentioned)
  if (lately || mentioned.answer === '') return lately
  if (isOneOf(UNDOES, text)) return { kind: 'undo' }
  return (
    readSave(text, mentioned) ??
    readChoice(text, mentioned) ??
    readAllPointed(text, mentioned) ??
    readPlaceAlone(text, mentioned)
  )
}

/** A line of an answer that says what was done. */
const DONE = /^(?:[A-Z][a-z]+ed|Brought) .*?\bthe (?:note|task|deck|flashcard) "/

/** Reads "what did you just do": the last answer that did something says it, else what changed today. */
function readLately(text: string, { answers }: Mentioned): Reply | null {
  if (!isOneOf(LATELY, text)) return null
  const done = answers.map((answer) => answer.split('\n').filter((line) => DONE.test(line)))
  const last = done.find((lines) => lines.length > 0)
  if (last) return { kind: 'say', text: writeLately(last.slice(0, MAX_ACTIONS)) }
  return toReply({ kind: 'list_changes', date: { when: 'today', relation: 'in' } })
}

/** Reads "save that as a note", which is named after the message before unless it gets a name. */
function readSave(text: string, { answer, asked }: Mentioned): Reply | null {
  for (const pattern of SAVES) {
    const save = pattern.exec(text)
    if (!save) continue
    const title = save.groups?.title ?? cutCodePoints(asked.trim().split('\n')[0] ?? '', MAX_TITLE_CHARS)
    return toReply({ kind: 'create_note', title: title.trim() || null, body: answer, tags: [] })
  }
  return null
}

/** Reads "the second one" alone, behind a list: a note is summarized, and of a task it is asked what to do. */
function readPlaceAlone(text: string, { items }: Mentioned): Reply | null {
  const place = readPlace(text.replace(/[.!?]$/, ''))
  const chosen = place === null ? undefined : items[0]?.listed.at(place)
  if (!chosen) return null
  if (chosen.type === 'note') return toReply({ kind: 'summarize', note: nameOf(chosen) })
  return { kind: 'say', text: writeChosenTask(chosen.title) }
}

const toReply = (intent: Intent): Reply => ({ kind: 'intents', intents: [intent] })

const SEVERAL_FIT = /^Several (?:note|task)s fit "([^"]+)"/
/**
 * Reads a choice from the list of an answer, by its place or its title: the message before, with that thing in the place
 * of the words that fitted several.
 */
function readChoice(text: string, { answer, asked, items }: Mentioned): Reply | null {
  const named = SEVERAL_FIT.exec(answer)?.[1]
  if (named === undefined) return null
  const listed = items[0]?.listed ?? []
  const words = unquoteName(text.replace(/[.!]$/, '')).words
  const place = readPlace(words)
  const chosen = place === null ? listed.find(({ title }) => fold(title) === fold(words)) : listed.at(place)
  const at = asked.toLowerCase().lastIndexOf(named.toLowerCase())
  if (!chosen || at < 0) return null
  const about = readPointed(asked.trim(), () => [chosen])
  if (about) return about
  const message = `${asked.slice(0, at)}"${STAND_IN}"${asked.slice(at + named.length)}`
  const { intents } = readSeveral(message.replace(`""${STAND_IN}""`, `"${STAND_IN}"`))
  return intents.length === 0
    ? null
    : { kind: 'intents', intents: intents.map((intent) => nameIn(intent, chosen) ?? intent) }
}

/** Stands for the title of what is meant while the grammar reads the message: a title is never read as a command. */
const STAND_IN = '\uE000'
const nameOf = ({ title }: MentionedItem): NamedItem => ({ words: title, quoted: true })

type ItemType = MentionedItem['type']
const TYPES: readonly ItemType[] = ['note', 'task']

/** The names in an intent, and the type of `named`. */
type Names = Readonly<Partial<Record<'note' | 'task' | 'named', NamedItem>>> & { readonly type?: ItemType }

/** Returns an intent that is about the stand-in as one that is about a thing of its type; null for any other. */
function nameIn(intent: Intent, item: MentionedItem, standIn = STAND_IN): Intent | null {
  const names = intent as Names
  const key = (['note', 'task', 'named'] as const).find((one) => [STAND_IN, standIn].includes(names[one]?.words ?? ''))
  const type = key === 'named' ? names.type : key
  return key && type === item.type ? ({ ...intent, [key]: nameOf(item) } as Intent) : null
}

/** Words that point at what was mentioned, by language, with the nouns of that language. */
const POINTERS = LANGUAGES.map((language) => {
  const { it, place } = TALK_WORDS[language]
  const places = place.names.replaceAll(' ', '|')
  const any = `${place.before}(?:${places})${place.after}|${place.number}\\d{1,2}|${it}`
  return {
    pattern: new RegExp(`(?<![\\p{L}\\p{N}_'-])(?:${any})(?![\\p{L}\\p{N}_'-])`, 'giu'),
    nouns: TYPES.map((type) => ({ type, noun: phrasesIn(language, type).split('|')[0] ?? '' })),
  }
})
/** Words of a sentence that are tried as what points back, in each language. */
const MAX_POINTERS = 4

/** What a sentence with such words is, if they stand for a thing of a type. */
type Readings = readonly { readonly type: ItemType; readonly kind: Intent['kind'] }[]
/** Finds what words such as "it" stand for in a sentence. */
type Find = (words: string, readings: Readings) => Found

/**
 * Reads a command about what a word of it points at. A name takes the place of that word, and the grammar reads the rest
 * as always: the word points back if the command is about that name. As what it can be read, the thing may be.
 */
function readPointed(text: string, find: Find): Reply | null {
  for (const { pattern, nouns } of POINTERS)
    for (const { 0: words, index } of text.matchAll(pattern).take(MAX_POINTERS)) {
      const said = nouns.filter(({ noun }) => words.toLowerCase().endsWith(noun))
      const read = (said.length > 0 ? said : nouns).flatMap(({ type, noun }) => {
        const standIn = `${noun} "${STAND_IN}"`
        const intent = readIntent(text.slice(0, index) + standIn + text.slice(index + words.length))
        const name = (item: MentionedItem) => intent && nameIn(intent, item, standIn)
        return name({ type, title: '', isQuoted: false }) && intent ? [{ type, kind: intent.kind, name }] : []
      })
      const [first] = read
      if (!first) continue
      const found = find(words, read)
      const [only] = found
      const titles = found.map(({ title }) => title)
      if (!only) return { kind: 'say', text: writeUnclear(words) }
      if (titles.length > 1) return { kind: 'say', text: writeSeveral(only.type, words, titles) }
      const intent = read.map(({ name }) => name(only)).find((one) => one !== null)
      return intent ? toReply(intent) : null
    }
  return null
}

const CONTRACTED = WORDS.flatMap(({ contracted }) =>
  contracted.map(([pattern, inFull]) => ({
    pattern: new RegExp(`(?<!\\p{L})${pattern.replace('{verb}', '(?<verb>\\p{L}{3,}?)')}(?!\\p{L})`, 'giu'),
    inFull,
  })),
)

/** Writes "termine-la" as "termine ça", and "bórrala" as "borra eso", where a command begins with it. */
function writeInFull(text: string): string {
  return CONTRACTED.reduce(
    (before, { pattern, inFull }) =>
      before.replace(pattern, (contracted: string, ...rest) => {
        const { verb } = (rest.at(-1) ?? {}) as { readonly verb?: string }
        if (verb === undefined) return inFull
        const [start = ''] = before
          .slice(0, Number(rest.at(-3)))
          .split(JOINT)
          .slice(-1)
        // What is written at the end of a Spanish verb gives it an accent.
        const plain = verb.normalize('NFD').replaceAll('\u0301', '').normalize('NFC')
        const said = [verb, plain].find((one) => beginsWithVerb(`${start}${one}`))
        return said === undefined || beginsWithVerb(start) ? contracted : inFull.replace('{verb}', said)
      }),
    text,
  )
}

/** Reads commands about what was mentioned that "and" joins, if each is a command; else one. */
function readAllPointed(message: string, mentioned: Mentioned): Reply | null {
  const find: Find = (words, readings) => findMentioned(words, readings, mentioned)
  const straight = message.replace(/[’‘]/g, "'").replace(/\s+/g, ' ')
  for (const text of new Set([straight, writeInFull(straight)])) {
    const reply = readJoined(text, find) ?? readPointed(text, find)
    if (reply) return reply
  }
  return null
}

/** Reads commands that "and" joins, the first of them about what was mentioned; null if a part is no command, or unclear. */
function readJoined(text: string, find: Find): Reply | null {
  const pieces = cutAtJoints(text)
  if (pieces.length === 1 || pieces.length > MAX_ACTIONS) return null
  const intents: Intent[] = []
  for (const [i, { text: piece }] of pieces.entries()) {
    const reply = readPointed(piece, find)
    const read = reply?.kind === 'intents' ? reply.intents : i > 0 ? readWrites(piece) : []
    if (read.length === 0) return null
    intents.push(...read)
  }
  return { kind: 'intents', intents }
}

/** Reads the changes of a text by the grammar; none if a part of it is no change. */
function readWrites(text: string): readonly Intent[] {
  const { intents, unread } = readSeveral(text)
  return unread.length === 0 && intents.every(isWrite) ? intents : []
}

/** What words stand for: one thing, several that are as likely, or nothing. */
type Found = readonly MentionedItem[]

/** Places of a list as words, a group for each of them and one for a number. */
const PLACES = WORDS.map(({ place: { before, after, number, names } }) => {
  const groups = names.split(' ').map((name) => `(${name})`)
  return new RegExp(`^(?:${before}(?:${groups.join('|')})${after}|(?:${number})?(\\d{1,2}))$`, 'iu')
})

/** A place in a list; -1 for the last one. */
function readPlace(words: string): number | null {
  for (const pattern of PLACES) {
    const [, ...groups] = pattern.exec(words) ?? []
    const digits = groups.pop()
    // There is no number 0.
    if (digits !== undefined) return Number(digits) > 0 ? Number(digits) - 1 : Number.MAX_SAFE_INTEGER
    const place = groups.findIndex((group) => group !== undefined)
    if (place >= 0) return place === groups.length - 1 ? -1 : place
  }
  return null
}

/** Finds what words such as "it" or "the second one" stand for, in the last answer that has such a thing. */
function findMentioned(words: string, readings: Readings, { items }: Mentioned): Found {
  const place = readPlace(words)
  for (const { named, listed } of items) {
    const fits = (list: readonly MentionedItem[]) =>
      list.filter((one) => readings.some(({ type }) => type === one.type))
    if (place !== null) {
      const list = listed.length > 0 ? fits(listed) : fits(named)
      if (list.length > 0) return list.at(place) ? [list.at(place) as MentionedItem] : []
      continue
    }
    const [first, ...others] = fits(named)
    // Of several quotations the first is the answer; several things that were done are as likely.
    if (first) return first.isQuoted || others.length === 0 ? [first] : [first, ...others]
    if (fits(listed).length > 0) return withoutRepeats(fits(listed))
    // Behind tasks, "add milk to it" means their list, and no note before them.
    if (readings[0]?.kind === 'append_note' && named.length + listed.length > 0) return []
  }
  return []
}
