/**
 * The grammar of commands: what the words of a message are (`lexicon.ts`), as a string of letters, is compared with frames. A
 * frame holds for four languages. `x` is a thing that is searched, `t` a text, `w` a time, `n` a name, `l` labels, `p` a
 * priority, `d` a deck, `j` a project, `f` a folder; `.` is any word.
 */
import type { TimeLanguage } from '../../lib/civil/day'
import { isOnlyTime } from '../../lib/civil/words/date'
import { fold } from '../../search/fold'
import { lexiconOf, type MessageToken, tokenize } from './lexicon'

/** The commands, in the order in which they are tried. */
export const COMMANDS = [
  ...(['undo', 'restore', 'card', 'draft', 'quiz', 'undate', 'complete', 'rank', 'label', 'rename'] as const),
  ...(['remind', 'task', 'list', 'note', 'remember', 'delete', 'move', 'append'] as const),
] as const
export type CommandKind = (typeof COMMANDS)[number]

/** A list by its name; a level; the list of tasks. */
const [LIST, LEVEL, TASKS] = ['&*[^>:,N]{0,3}s(?:[<>][^:]+)?', '[&N<]*(?:l|p[&<]*[l1]|[l1]&?p|p<?l)', '&*(?:T|s)']

/**
 * The frames of each command. `~` marks one that only tells something: then its thing has to be there. `-` takes away what
 * the command adds, `*` speaks of several things.
 */
const FRAMES: Readonly<Record<CommandKind, string>> = {
  undo: 'U[&iz<>N]*y?[iz]? [D/]&*y',
  restore: 'Z>?(?<x>[^5]+?)(?:[<>]&*x)? [VMWAB]>?(?<x>.+)<&*x',
  card: `[AWVK]m?[&N]*[cC](?:>(?<d>[^:]+?))?:(?<t>.+) [&N]*[cC](?:>(?<d>[^:]+?))?:(?<t>.+)
    [AWVK]m?[&N]*c,?(?:\\+[&N]*)?(?<t>[q"w&].+) [&N]*[cC],?(?<t>q.+)`,
  quiz: `[QG]m? Qm?[>+<]&*(?<d>.+?)k? S (?:[QGS]m?[&N<;]*(?<d>w*)[cCqk]|A[&N]*q)(?:[<>+]&*(?<d2>.+))? S[&>]*(?<d>w+)[Ck] [;N][cq] [cq]; Q&*k?(?<d>w+)
    Qm?[&N]*(?<d>w{0,3}) [QG]m?w[>+<]&*(?<d>.+)`,
  draft: `[WAVBG]m?[&N<]*C[<>=+]+(?<x>.+?)(?:w[AVK]i>(?<d>.+))? [WVA](?<x>.+?)>C(?:w[AVK]i>(?<d>.+))?
    [WVA]<(?<x>.+?)[&N]*C [WV](?<x>.+?)>[WA][&N]*C [&N<]*C[<+](?<x>.+)`,
  undate: `B&*d<&*(?<x>.+) D&*d[<>]&*(?<x>.+) D(?<x>.+)g&*d D[&i]?d [VMWB]>?(?<x>.+?)>?u u>?(?<x>.+) ~(?<x>.+?),?u J(?<x>.+)
    ~(?<x>.+?)v?u`,
  complete: `-Y(?<x>.+) -[VEWM]>?(?<x>.+?)>?O [EX](?<x>.+?)<[&<]*[sT] X(?<x>[^:]+) [VEWM]>?(?<x>.+?)>?o
    [VE]>?o(?<x>.+) o:(?<x>.+) ~w{1,2}o\\+(?<x>.+) ~(?:wv)?\\+(?<x>.+?)(?:vw)?o ~(?<x>.+?)[v,]*o`,
  rank: `[VMPWB]&*p[<>](?<x>.+)>(?<p>${LEVEL}|1) [VMPW]>?(?<x>.+)g&*p>(?<p>${LEVEL}|1) [VMPWBEA]>?(?<x>.+?)[>+:]?(?<p>${LEVEL})
    [VWB](?<p>${LEVEL})>?(?<x>.+) -D&*p[<>](?<x>.+) ~&*p<(?<x>.+?)v>?(?<p>${LEVEL}|1) ~(?<x>.+?)v(?<p>${LEVEL}(?:,[lp]+)?) P(?<x>.+?)[:>]?(?<p>1)`,
  label: `[VABWL]N?&*b(?<l>.+?)[>+](?<x>.+) -D&*b(?<l>.+?)[<>](?<x>.+) L(?<x>.+)[>+:]&*b?(?<l>[^>+:]+) L(?<x>.+)(?<l>[w#"])
    [VAB](?<l>#)>(?<x>.+) [VABWEP]>?(?<x>.+?)[>+]?&*b:?(?<l>.+) ~(?<x>.+?)[v:]&*b(?<l>.+) ~&*b(?<l>.+?)>(?<x>.+)`,
  rename: `R>?(?<x>.+)[>:](?<n>.+) [RC]>?(?<x>.+?)=?(?<n>") [VWMB]&*e<(?<x>.+)>(?<n>.+) [VWBG]m?>?(?<x>.+?)[&N]*e=?(?<n>.+)
    [VM](?<x>.+)e>(?<n>.+) ~(?<x>.+?)~=?(?<n>.+?)h?`,
  remind:
    'I(?<t>.+) O,?[<>]?(?<t>[^z,:&"iN<>].*) (?<w>5+),?I(?<t>.+) [AVWGB]m?[&N]*r(?<t>.+) [&N]*r(?<t>[:>].+) ~(?<t>.+),I[<>]?[iz]?',
  task: `[AW]>&*j(?<j>.+?)N+t(?<t>.+) [AWVB]m?N+t(?<t>.+) Am?&*t(?<t>.+) [&N]*t(?<t>(?:>.+)?:.+) N+t(?<t>.+)
    *[AW]m?[&N1w]*T:?(?<t>.+) *[&N]*T(?:>5+)?:(?<t>.+) [AVBW]>${TASKS}:?(?<t>.+) O:(?<t>.+)`,
  list: `[AVK](?<t>.+)>(?<n>&*T|${LIST}) [AVK]>(?<n>${LIST}):(?<t>.+) >(?<n>&*T|${LIST})[:,]?[AV]?(?<t>.+)
    [AWV]m?[&N]*(?<n>${LIST})[:+](?<t>.+) (?<n>${LIST}):(?<t>.+) N(?<t>.+)>(?<n>${LIST}) >(?<n>${LIST})`,
  note: `[AWVKB]m?[&N]*n=(?<n>[^:+=]+?)(?:[:+=]+(?<t>.+))? N*n=(?<n>[^:+=]+?)(?:[:+=]+(?<t>.+))?
    [AWVKB]m?[&N]*n(?<n>")[:+=]*(?<t>.+)? [AWVKB]m?N*n[<>]?[:z=](?<t>.+) [AWVKB]m?N+n>(?<n>[^:]+):(?<t>.+)
    [AWVKB]m?N+n[>w]?:(?<t>.+) [AWKB]m?N+n>?(?<t>.+) [AKV][iz]?>N+n:?(?<t>.+) [AWB]m?N+n N*n(?:>w)?:(?<t>.+) N+n(?<t>.+)`,
  remember: '[KO]m?<?[iz]*,?[z:,](?<t>(?!>N*n).+)',
  move: `[AVMWB](?<x>.+)>&*j(?<j>.+) [AVMWB](?<x>.+)>&*(?<j>[^>]+)j [VMWB](?<x>.+)>&*f(?<f>.+) [VMWB](?<x>.+)>&*(?<f>[^>]+)f
    [VMWA]&*d[<>](?<x>.+?)[>:]?&*(?<w>5+) [VM]>?(?<x>.+)g&*d>?(?<w>5+) [VM]&*d[<>](?<x>.+)>(?<w>.+) W(?<x>.+?)d>?(?<w>5+)
    [MV](?<x>.+?)>?&*(?<w>5+) M(?<x>.+)>(?<w>.+) ~(?<x>.+?)v?@>?&*(?<w>5+)`,
  delete: 'B(?<x>.+)<[&<]*[sT] D(?<x>.+?)(?:[<>][&<]*[sTxt])? [VMBA](?<x>.+)>&*x',
  append: `F>?(?<x>.+?)[+:>](?<t>.+) [AVKB].{0,3}>(?<x>[^:]*n[^:]*):(?<t>.+) [AVK](?:N.)?>(?<x>[^:]+):(?<t>.+) [AK]>(?<x>.+?),?z(?<t>.+)
    >(?<x>.*?n.+?)[:,]*[AVK]:?(?<t>.+) >(?<x>&*n[^:]+):(?<t>.+) [AVK](?<t>.+)>(?<x>&*n.+|[^>]*n) [AK](?<t>.+)>(?<x>.+)`,
}

interface Frame {
  readonly kind: CommandKind
  readonly pattern: RegExp
  readonly tells: boolean
  readonly off: boolean
  readonly isPlural: boolean
}

const ALL: readonly Frame[] = COMMANDS.flatMap((kind) =>
  FRAMES[kind].split(/\s+/).map((line): Frame => {
    const [mark = '', source = ''] = /^[-~*]/.test(line) ? [line.charAt(0), line.slice(1)] : ['', line]
    return {
      ...{ kind, pattern: new RegExp(`^(?:${source})$`, 'd') },
      ...{ tells: mark === '~', off: mark === '-', isPlural: mark === '*' },
    }
  }),
)

/** Words of a phrase in the lexicon, at most. */
const MAX_PHRASE = 7
/** Tokens of a message that are compared with frames; a text behind them is taken whole. */
const MAX_TOKENS = 120
const SIGNS: Readonly<Record<string, string>> = { ':': ':', ',': ',', ';': ',', '=': '=' }

/** A message as letters, one for each token. */
interface Encoded {
  readonly text: string
  readonly tokens: readonly Word[]
  readonly letters: string
}
interface Word extends MessageToken {
  readonly key: string
  readonly verbs: string
  readonly words: string
}

/** Encodes a text; its first word is no verb, if it may be anything else. */
export function encode(text: string, language: TimeLanguage): Encoded {
  const { verbs, words, particles } = lexiconOf(language)
  const raw = tokenize(text, language).slice(0, MAX_TOKENS)
  const keys = raw.map((token) => fold(token.text))
  const tokens: Word[] = []
  for (let at = 0; at < raw.length; ) {
    let length = Math.min(MAX_PHRASE, raw.length - at)
    const keyAt = () => keys.slice(at, at + length).join(' ')
    while (length > 1 && !verbs.has(keyAt()) && !words.has(keyAt()) && !particles.has(keyAt())) length--
    const [key, first, last] = [keyAt(), raw[at] as MessageToken, raw[at + length - 1] as MessageToken]
    const found = {
      verbs: verbs.get(key) ?? '',
      words: words.get(key) ?? COMPOUNDS.exec(key)?.[0].charAt(0).replace('l', 's') ?? '',
    }
    const clitic = language === 'es' && found.verbs === '' && found.words === '' ? splitClitic(first, verbs) : null
    if (clitic) tokens.push(...clitic)
    else if (found.words !== '-')
      tokens.push({ text: text.slice(first.start, last.end), start: first.start, end: last.end, key, ...found })
    at += length
  }
  return { text, tokens, letters: tokens.map((_, i) => letterOf(tokens, i)).join('') }
}

/** German writes "Einkaufsliste" as one word. */
const COMPOUNDS = /(?<=\p{L}{3})-?liste$/u

function letterOf(tokens: readonly Word[], i: number): string {
  const { text, words, verbs } = tokens[i] as Word
  const sign = /^["#]/.test(text) ? text.charAt(0) : /^\d$/.test(text) ? '1' : SIGNS[text]
  if (sign) return sign
  // "la" is a thing at the end, and an article before one.
  if (words.includes('&i')) return /^(?:|[^\p{L}\d"#].*)$/u.test(tokens[i + 1]?.text ?? '') ? 'i' : '&'
  return words.charAt(0) || verbs.charAt(0) || 'w'
}

/** Lists all that a text may be: its verb with a particle, in front or, in German, behind; its first word as a noun. */
function* listReadings(text: string, language: TimeLanguage): Generator<Encoded> {
  const { parted } = lexiconOf(language)
  const plain = encode(text, language)
  const [head, ...rest] = plain.tokens
  if (!head) return
  const begin = (one: Encoded, letter: string) => ({ ...one, letters: letter + one.letters.slice(1) })
  for (const { key, start, end } of rest.toReversed())
    for (const letter of parted.get(`${head.key} ${key}`) ?? '')
      yield begin(encode(`${text.slice(0, start).trimEnd()}${text.slice(end)}`, language), letter)
  for (const letter of head.verbs) yield begin(plain, letter)
  const sign = rest.findIndex((token) => /^[:,]$/.test(token.text))
  const last = plain.tokens.at(sign < 0 ? -1 : sign)
  // An infinitive of German is behind all, before what it changes something to, or behind a noun without an article.
  if (language === 'de' && head.verbs === '')
    for (const [i, verb] of rest.entries())
      if (
        verb === last ||
        (/n$/.test(verb.key) && (plain.letters[i + 2] === '>' || (i === 0 && /^[tnc]/.test(plain.letters))))
      )
        for (const letter of verb === last || i === 0 ? verb.verbs : verb.verbs.replace(/[^RVM]/g, ''))
          yield begin(
            encode(`${verb.text} ${text.slice(0, verb.start).trimEnd()}${text.slice(verb.end)}`, language),
            letter,
          )
  yield plain
}

/** Divides a verb of Spanish from the pronouns behind it: `márcalo`. */
function splitClitic({ text, start, end }: MessageToken, verbs: ReadonlyMap<string, string>) {
  const [, stem = '', me = '', it = ''] = /^(.{2,}?)(me|te|se)?(l[aeo]s?)?$/iu.exec(text) ?? []
  const [key, found] = [fold(stem), verbs.get(fold(stem))]
  if (!found || me + it === '') return null
  const at = start + stem.length
  const parts = [{ text: stem, start, end: at, key, verbs: found, words: '' }]
  if (me) parts.push({ text: me, start: at, end: at + me.length, key: me, verbs: '', words: 'm' })
  // "Ponle la etiqueta": the thing itself follows.
  if (it && !it.startsWith('le')) parts.push({ text: it, start: end - it.length, end, key: it, verbs: '', words: 'i' })
  return parts
}

/** What a frame found in a message: its texts by the names of its groups. */
export interface FrameMatch extends Omit<Frame, 'pattern'> {
  readonly language: TimeLanguage
  /** Whether its verb may also change what is there: "leg" of German and "pon" of Spanish add things and move them. */
  readonly mayChange: boolean
  readonly slots: Readonly<Record<string, string | undefined>>
}

/** Verbs that do something to what is there. */
const CHANGES = /[BDEJLMPRVXYZ]/
/** A task with an article, which is one that is there if the verb may change it. */
const THE_TASK = /^.m?&+t/

/** Lists what a text may ask for in a language, the likeliest first. */
export function* matchFrames(text: string, language: TimeLanguage): Generator<FrameMatch> {
  const readings = Array.from(listReadings(text, language), (one) => markTimes(one, language))
  for (const { pattern, ...frame } of ALL)
    for (const { text: read, letters, tokens } of readings) {
      const found = pattern.exec(letters)
      if (!found) continue
      const mayChange = CHANGES.test(tokens[0]?.verbs ?? '')
      if (frame.kind === 'task' && mayChange && THE_TASK.test(letters)) continue
      const slots: Record<string, string> = {}
      for (const [name, place] of Object.entries(found.indices?.groups ?? {})) {
        const [first, last] = place ? [tokens[place[0]], tokens[place[1] - 1]] : []
        const toEnd = place?.[1] === tokens.length && tokens.length >= MAX_TOKENS
        if (place)
          slots[name] =
            first && last && place[1] > place[0] ? read.slice(first.start, toEnd ? undefined : last.end) : ''
      }
      yield { ...frame, language, mayChange, slots }
    }
}

/** Marks the longest time at the end with `5`, and one before a verb that reminds. */
function markTimes(one: Encoded, language: TimeLanguage): Encoded {
  const { text, tokens, letters } = one
  const isTime = (from: number, to: number) =>
    isOnlyTime(writeHours(text.slice(tokens[from]?.start, tokens[to - 1]?.end)), language)
  const reminds = letters.indexOf('I')
  if (reminds > 0 && isTime(0, reminds)) return { ...one, letters: '5'.repeat(reminds) + letters.slice(reminds) }
  if (/^[IKQ]/.test(letters) || !/[M>d@]/.test(letters)) return one
  for (let from = Math.max(1, tokens.length - 8); from < tokens.length; from++)
    if (!/[>&d]/.test(letters.charAt(from)) && isTime(from, tokens.length))
      return { ...one, letters: letters.slice(0, from) + '5'.repeat(tokens.length - from) }
  return one
}

const HOURS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
const SPOKEN_HOUR = new RegExp(
  `"[^"]*"|(?<!\\S)at (?<hour>\\d{1,2}|${HOURS.join('|')})(?: o['’]?clock)?(?=[,.;!?]?(?:$|\\s+(?:on|to|today|tomorrow|tonight|next|this|every|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?!\\S)|[,;]))`,
  'giu',
)

/** Writes a bare hour as a time for quick add: from seven in the morning to six in the evening; "at 16" as it is. */
export function writeHours(text: string): string {
  return text.replace(SPOKEN_HOUR, (whole, hour: string | undefined) => {
    if (hour === undefined) return whole
    const said = /\d/.test(hour) ? Number(hour) : HOURS.indexOf(hour.toLowerCase()) + 1
    return said > 23 ? whole : `at ${String(said > 0 && said < 7 ? said + 12 : said).padStart(2, '0')}:00`
  })
}

/** The two sides of a card. */
export interface CardSides {
  readonly front: string
  readonly back: string
}

const SIDES = [
  /^(?:[qfp]\s*:|(?:question|front|frage|vorderseite|recto|pregunta)\s*:?) ?["“«]?(.+?)["”»]?[,;]?\s+(?:and |und |et |y )?(?:the |la |el |die )?(?:[ar]\s*:|(?:answer|back|antwort|rückseite|verso|réponse|respuesta)\s*:?) ?["“«]?(.+?)["”»]?$/isu,
  /^["“«](.+?)["”»] ?(?:-|–|=|->|→|\/|:|,|with the (?:answer|back)) ?["“«](.+?)["”»]$/su,
  /^(.+?) ?(?: = | -> | → | :: |::| \/ | – | - |=) ?(.+)$/su,
  /^(.+?\?) (.+)$/su,
  /^([^:]+): (.+)$/su,
]

/** Reads cards from a text, one or several apart by lines or semicolons; none if a part is no card. */
export function splitCards(text: string): CardSides[] {
  const qa = text.split(/(?:^|\n|\s)(?=(?:q|question|frage|pregunta)\s*: )/iu).filter((one) => one.trim() !== '')
  const parts = qa.length > 1 ? qa : /^(?:q|question|frage|pregunta)\s*:/iu.test(text) ? [text] : text.split(/[\n;]/)
  const cards = parts
    .filter((one) => one.trim() !== '')
    .map((part) => {
      const plain = part
        .trim()
        .replace(/^(?:[-*•]|\d+[.)]) /, '')
        .replace(/[?]$/, '')
      const sides = SIDES.map((pattern) => pattern.exec(plain)).find((one) => one !== null)
      return { front: (sides?.[1] ?? '').trim(), back: (sides?.[2] ?? '').trim() }
    })
  return cards.every(({ front, back }) => front !== '' && back !== '') ? cards : []
}

/** Actions of a message, at most. */
export const MAX_ACTIONS = 20
/** Splits items that commas, lines and "and" divide, outside of quotation marks and brackets. */
export function splitItems(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim().replace(/^(?:[-*•]|\d+[.)])\s+(?:\[[ x]\]\s+)?/i, ''))
  const some = lines.filter((line) => line !== '')
  if (some.length > 1) return some
  const parts = (some[0] ?? '').match(/(?:"[^"]*"|\([^)]*\)|[^,;"(])+/g) ?? []
  const items = parts.flatMap((part, i) => (i === parts.length - 1 ? part.split(/ (?:and|und|et|y) /) : [part]))
  return items
    .map((item) =>
      item
        .trim()
        .replace(/^(?:and|und|et|y) /, '')
        .replace(/^"([^"]*)"$/, '$1'),
    )
    .filter((item) => item !== '')
}
