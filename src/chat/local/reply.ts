/** Messages that only the answers before them explain: "complete it", "save that as a note", "undo that", "yes". */
import { cutCodePoints } from '../../lib/text'
import { fold } from '../../search/fold'
import type { Mentioned, MentionedItem } from './conversation'
import { type Intent, isWrite, type NamedItem, unquoteName } from './grammar/intent'
import { MAX_ACTIONS, readSeveral } from './grammar/several'
import { type AboutVerb, joinWords, TALK_WORDS, type TalkWords } from './talk-words'
import { NOTHING_WAITS, writeChosenTask, writeSeveral, writeUnclear, writeWaiting } from './wording'

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
/** Compiles whole messages, with or without courtesy. */
const whole = ({ please }: TalkWords, sentences: string) =>
  new RegExp(`^(?:(?:${please})[, ]+)?(?:${sentences})(?:[, ]+(?:${please}))?${END}$`, 'iu')

const places = ({ place }: TalkWords, names: string) => `${place.before}(?:${names})${place.after}`
/** Words that point at what was mentioned. */
const pointers = (words: TalkWords): string =>
  [words.it, places(words, [...words.place.names, words.place.last].join('|')), `${words.place.number}\\d{1,2}`].join(
    '|',
  )

const TITLE = '["“„«]?(?<title>[^"“”„«»]+?)["”»]?'
const SAVES = TALK_WORDS.map((words) => whole(words, words.saveAnswer.join('|').replaceAll('{title}', TITLE)))
const UNDOES = TALK_WORDS.map((words) => whole(words, words.undo.join('|')))
const DECIDES = TALK_WORDS.map((words) => whole(words, words.yesOrNo))
/** Words that are a decision only while something waits. */
const AGREES = new RegExp(`^(?:ok|okay|o\\.k\\.)${END}$`, 'i')

/** The sentences that do something with what was mentioned, by language and verb. */
const ABOUT = TALK_WORDS.flatMap((words) => {
  const attached = words.attached === '' ? '' : `${words.attached}|`
  const it = `(?<it>${attached} (?:${pointers(words)}))`
  return Object.entries(words.about).flatMap(([verb, sentences]) =>
    sentences.map((sentence) => ({
      verb: verb as AboutVerb,
      pattern: whole(words, sentence.replace('{it}', it).replace('{text}', '(?<text>.+?)')),
    })),
  )
})

/** The type that a verb is for; it is either for those that are not named here. */
const TYPES: Readonly<Partial<Record<AboutVerb, MentionedItem['type']>>> = {
  ...{ move: 'task', complete: 'task', reopen: 'task' },
  ...{ append: 'note', summarize: 'note', draft_cards: 'note', store_cards: 'note' },
}

/** Makes the intent of a verb, a thing and the caller's text. */
function toIntent(verb: AboutVerb, { type, title }: MentionedItem, words: string): Intent {
  const named: NamedItem = { words: title, quoted: true }
  const text = unquoteName(words).words
  switch (verb) {
    case 'trash':
      return { kind: 'trash', type, named }
    case 'move':
      return { kind: 'move_task', task: named, when: text }
    case 'complete':
      return { kind: 'complete_task', task: named }
    case 'reopen':
      return { kind: 'reopen_task', task: named }
    case 'rename':
      return type === 'note'
        ? { kind: 'rename_note', note: named, title: text }
        : { kind: 'rename_task', task: named, title: text }
    case 'tag':
    case 'untag':
      return { kind: 'tag_item', type, named, tag: text.replace(/^[#@]/, ''), adds: verb === 'tag' }
    case 'append':
      return { kind: 'append_note', note: named, text }
    case 'summarize':
      return { kind: 'summarize', note: named }
    case 'draft_cards':
      return { kind: 'draft_cards', note: named }
    case 'store_cards':
      return { kind: 'store_cards', note: named, deck: text }
  }
}

const isOneOf = (patterns: readonly RegExp[], message: string): boolean =>
  message.length <= MAX_REPLY_UNITS && patterns.some((pattern) => pattern.test(message.trim()))

/** Lists the answers whose questions a message would decide: yes, no and cancel all of them; "undo that" the last one. */
export function listDecided(message: string, { answer, answers }: Mentioned): readonly string[] {
  if (isOneOf(UNDOES, message)) return [answer]
  return isOneOf([...DECIDES, AGREES], message) ? answers : []
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
  if (DECIDES.some((pattern) => pattern.test(text))) return { kind: 'say', text: NOTHING_WAITS }
  if (mentioned.answer === '') return null
  if (UNDOES.some((pattern) => pattern.test(text))) return { kind: 'undo' }
  return (
    readSave(text, mentioned) ??
    readChoice(text, mentioned) ??
    readAboutAll(text, mentioned) ??
    readPlaceAlone(text, mentioned)
  )
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
  if (chosen.type === 'note') return toReply(toIntent('summarize', chosen, ''))
  return { kind: 'say', text: writeChosenTask(chosen.title) }
}

const toReply = (intent: Intent): Reply => ({ kind: 'intents', intents: [intent] })

const SEVERAL_FIT = /^Several (?:note|task)s fit "([^"]+)"/
/** Stands for the title that was chosen while the grammar reads the message: a title is never read as a command. */
const CHOSEN = '\uE000'

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
  const about = readAbout(asked.trim(), () => [chosen])
  if (about) return about
  const message = `${asked.slice(0, at)}"${CHOSEN}"${asked.slice(at + named.length)}`
  const { intents } = readSeveral(message.replace(`""${CHOSEN}""`, `"${CHOSEN}"`))
  const name = (one: NamedItem): NamedItem => (one.words === CHOSEN ? { words: chosen.title, quoted: true } : one)
  return intents.length === 0 ? null : { kind: 'intents', intents: intents.map((intent) => renameIn(intent, name)) }
}

/** Returns an intent with another name of the thing that it is about. */
function renameIn(
  intent: Intent,
  rename: (named: NamedItem, type: MentionedItem['type'] | undefined) => NamedItem,
): Intent {
  if ('note' in intent) return { ...intent, note: rename(intent.note, 'note') }
  if ('task' in intent) return { ...intent, task: rename(intent.task, 'task') }
  return 'named' in intent ? { ...intent, named: rename(intent.named, intent.type) } : intent
}

/** Reads a sentence about what was mentioned. @param find returns what the words stand for */
function readAbout(
  text: string,
  find: (words: string, type: MentionedItem['type'] | undefined) => Found,
): Reply | null {
  const straight = text.replace(/[’‘]/g, "'").replace(/\s+/g, ' ')
  for (const { verb, pattern } of ABOUT) {
    const match = pattern.exec(straight)
    if (!match) continue
    const words = match.groups?.it?.replace(/^[\s-]+/, '') ?? ''
    const found = find(words, TYPES[verb])
    if (found.length === 1 && found[0]) return toReply(toIntent(verb, found[0], match.groups?.text ?? ''))
    const name = words === '' ? straight : words
    const titles = found.map(({ title }) => title)
    const kind = found[0]?.type ?? 'note'
    return { kind: 'say', text: titles.length > 0 ? writeSeveral(kind, name, titles) : writeUnclear(name) }
  }
  return null
}

const AND = new RegExp(`[,;.]?\\s+(?:${joinWords(({ and }) => and)})\\s+`, 'iu')

/** Reads sentences about what was mentioned that "and" joins, if each is a sentence; else one. */
function readAboutAll(text: string, mentioned: Mentioned): Reply | null {
  const read = (piece: string) => readAbout(piece, (words, type) => findMentioned(words, type, mentioned))
  const pieces = text.split(AND)
  const intents: Intent[] = []
  for (const [i, piece] of pieces.length > MAX_ACTIONS ? [] : pieces.entries()) {
    const reply = pieces.length > 1 ? read(piece) : null
    const found = reply?.kind === 'intents' ? reply.intents : i > 0 ? readWrites(piece) : []
    // A part that says what is unclear, or is no sentence, leaves the whole text to be read as one.
    if (found.length === 0) return read(text)
    intents.push(...found)
  }
  return intents.length > 0 ? { kind: 'intents', intents } : read(text)
}

/** Reads the changes of a text by the grammar; none if a part of it is no change. */
function readWrites(text: string): readonly Intent[] {
  const { intents, unread } = readSeveral(text)
  return unread.length === 0 && intents.every(isWrite) ? intents : []
}

/** What words stand for: one thing, several that are as likely, or nothing. */
type Found = readonly MentionedItem[]

/** A place in a list; -1 for the last one. */
function readPlace(words: string): number | null {
  // There is no number 0.
  const ofNumber = (digits: string) => (Number(digits) > 0 ? Number(digits) - 1 : Number.MAX_SAFE_INTEGER)
  if (/^\d{1,2}$/.test(words)) return ofNumber(words)
  for (const language of TALK_WORDS) {
    const { names, last, number } = language.place
    const isWhole = (pattern: string) => new RegExp(`^(?:${pattern})$`, 'iu')
    const digits = isWhole(`${number}(?<digits>\\d{1,2})`).exec(words)?.groups?.digits
    if (digits !== undefined) return ofNumber(digits)
    const place = names.findIndex((name) => isWhole(places(language, name)).test(words))
    if (place >= 0) return place
    if (isWhole(places(language, last)).test(words)) return -1
  }
  return null
}

/** Finds what words such as "it" or "the second one" stand for, in the last answer that has such a thing. */
function findMentioned(words: string, type: MentionedItem['type'] | undefined, { items }: Mentioned): Found {
  const place = readPlace(words)
  for (const { named, listed } of items) {
    const fits = (list: readonly MentionedItem[]) => list.filter((one) => type === undefined || one.type === type)
    if (place !== null) {
      const list = listed.length > 0 ? fits(listed) : fits(named)
      if (list.length > 0) return list.at(place) ? [list.at(place) as MentionedItem] : []
      continue
    }
    const [first, ...others] = fits(named)
    // Of several quotations the first is the answer; several things that were done are as likely.
    if (first) return first.isQuoted || others.length === 0 ? [first] : [first, ...others]
    if (fits(listed).length > 0) return fits(listed)
  }
  return []
}

const IT = new RegExp(`^(?:${joinWords(({ it }) => it)})$`, 'iu')

/** Returns the intent with the titles that its names stand for: "summarize it", "delete the second one". */
export function resolveIntent(intent: Intent, mentioned: Mentioned): Intent {
  const resolve = (named: NamedItem, type: MentionedItem['type'] | undefined): NamedItem => {
    if (named.quoted || (!IT.test(named.words) && readPlace(named.words) === null)) return named
    const found = findMentioned(named.words, type, mentioned)
    return found.length === 1 && found[0] ? { words: found[0].title, quoted: true } : named
  }
  return renameIn(intent, resolve)
}
