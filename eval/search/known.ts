/** Known-item search: looks for a note by one of its headings, unchanged or changed as people do. */
import { chance as makeChance } from '../../test/torture/row'
import type { NoteText } from '../satchel'
import type { Collection, QuestionSet } from './collections'

/** Turns a heading into a query; null if no word of it can be changed. */
type Bend = (heading: string, chance: () => number, words: ReadonlySet<string>) => string | null

interface Kind {
  readonly kind: string
  /** The score to reach in the vault of the design's figures. */
  readonly least: number
  /**
   * The score below which `--quick` fails on the documentation of Bun: slightly below that of search when it was set,
   * above FTS5.
   */
  readonly floor: number
  readonly bend: Bend
}

const KINDS: readonly Kind[] = [
  { kind: 'heading as it stands', least: 0.78, floor: 0.72, bend: (heading) => heading },
  { kind: '“how do I …?”', least: 0.7, floor: 0.69, bend: askQuestion },
  { kind: 'plural for singular', least: 0.72, floor: 0.75, bend: changeNumber },
  { kind: 'one typo', least: 0.6, floor: 0.73, bend: makeTypo },
  { kind: 'one word too many', least: 0.72, floor: 0.61, bend: addWord },
]

const FRAMES = ['how do I …?', 'how do I use …?', 'what is …?', 'where do I find …?']
const EXTRA = [
  'tutorial',
  'example',
  'problem',
  'guide',
  'quickly',
  'again',
  'properly',
  'beginner',
  'simple',
  'explained',
]

export interface Vault {
  readonly name: string
  readonly folder: string
  /** The pattern of its Markdown files, below the folder. */
  readonly files: string
  /** Headings that are searched at most, evenly chosen from all. */
  readonly headings: number
  /** Whether the design has targets for it; else only FTS5 has to be reached. */
  readonly targets: boolean
}

/** Reads the Markdown files under a folder as notes, with their headings as queries. */
export async function readKnownItems({ name, folder, files, headings: most, targets }: Vault): Promise<Collection> {
  const paths = await Array.fromAsync(new Bun.Glob(files).scan({ cwd: folder, absolute: true }))
  const texts: NoteText[] = []
  for (const path of paths.sort()) texts.push(toNote(path, await Bun.file(path).text()))
  const all = listHeadings(texts)
  const step = Math.max(1, all.length / most)
  const headings = all.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step))
  const words = new Set(texts.flatMap(({ title, body }) => listWords(`${title} ${body}`)))
  const sets = KINDS.map(({ kind, least, floor, bend }, seed): QuestionSet => {
    const questions = headings.flatMap(([heading, place], i) => {
      const query = bend(heading, makeChance(i * KINDS.length + seed), words)
      return query === null ? [] : [{ query, right: new Set([place]), number: i + 1 }]
    })
    return { kind, goals: [{ measure: 'MRR@10', least: targets ? least : 0 }], questions, floor }
  })
  return { name, texts, sets }
}

/**
 * Converts a file to a note. The title is that of the front matter, or the name of the file; front matter is left out.
 */
function toNote(path: string, source: string): NoteText {
  const [front = ''] = /^---\n[\s\S]*?\n---\n/.exec(source) ?? []
  const [, title] = /^title: *(["']?)(.+)\1 *$/m.exec(front)?.slice(1) ?? []
  const file = path.slice(path.lastIndexOf('/') + 1, path.lastIndexOf('.'))
  return { title: title ?? file, body: source.slice(front.length).trim() }
}

/** Lists the headings of two words or more that only one note has, with the index of the note. */
function listHeadings(texts: readonly NoteText[]): (readonly [string, number])[] {
  const found = new Map<string, { heading: string; places: Set<number> }>()
  texts.forEach(({ body }, place) => {
    for (const [, source = ''] of withoutCode(body).matchAll(/^ {0,3}#{1,6} +(.+?)[ #]*$/gm)) {
      const heading = stripMarkup(source)
      if (listWords(heading).length < 2) continue
      const entry = found.get(heading.toLowerCase()) ?? { heading, places: new Set() }
      found.set(heading.toLowerCase(), { heading, places: entry.places.add(place) })
    }
  })
  return Array.from(found.values()).flatMap(({ heading, places: [place = 0, ...others] }) =>
    others.length > 0 ? [] : [[heading, place] as const],
  )
}

const withoutCode = (body: string) => body.replace(/^ *(`{3,}|~{3,})[\s\S]*?^ *\1/gm, '')

const stripMarkup = (heading: string) =>
  heading
    .replace(/!?\[\[?([^\]]*)\]\]?(\([^)]*\))?/g, '$1')
    .replace(/<[^>]*>|\{[^}]*\}|[`*]/g, '')
    .replace(/\s+/g, ' ')
    .trim()

const listWords = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

function askQuestion(heading: string, chance: () => number): string {
  return pick(FRAMES, chance).replace('…', heading)
}

function addWord(heading: string, chance: () => number): string {
  const parts = heading.split(' ')
  parts.splice(Math.floor(chance() * (parts.length + 1)), 0, pick(EXTRA, chance))
  return parts.join(' ')
}

/** Changes the number of the longest word whose other number occurs in the vault. */
function changeNumber(heading: string, _: () => number, words: ReadonlySet<string>): string | null {
  for (const word of listLongestWords(heading, 4)) {
    if (/(ing|ed|ly|ss|us|is)$/.test(word)) continue
    const other = word.endsWith('s') ? singular(word) : plural(word)
    if (words.has(other.toLowerCase())) return replaceWord(heading, word, other)
  }
  return null
}

const singular = (word: string) =>
  word
    .replace(/ies$/, 'y')
    .replace(/(ch|sh|x|ss)es$/, '$1')
    .replace(/s$/, '')

const plural = (word: string) =>
  /(ch|sh|x)$/.test(word) ? `${word}es` : /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`

/** Makes one edit of the longest word, after its first letter, so that the result does not occur in the vault. */
function makeTypo(heading: string, chance: () => number, words: ReadonlySet<string>): string | null {
  const [word] = listLongestWords(heading, 5)
  if (word === undefined) return null
  for (let tries = 0; tries < 20; tries++) {
    const at = 1 + Math.floor(chance() * (word.length - 2))
    const letter = word.charAt(at)
    const middle = pick(
      [
        `${word.charAt(at + 1)}${letter}`,
        word.charAt(at + 1),
        `${letter}${letter}${word.charAt(at + 1)}`,
        `${pick([...'etaoinsr'], chance)}${word.charAt(at + 1)}`,
      ],
      chance,
    )
    const wrong = word.slice(0, at) + middle + word.slice(at + 2)
    if (!words.has(wrong.toLowerCase())) return replaceWord(heading, word, wrong)
  }
  return null
}

const replaceWord = (heading: string, word: string, other: string) =>
  heading.replace(new RegExp(`\\b${word}\\b`), other)

const listLongestWords = (heading: string, least: number) =>
  (heading.match(/(?<![\p{L}\p{N}_])[A-Za-z]+(?![\p{L}\p{N}_])/gu) ?? [])
    .filter(({ length }) => length >= least)
    .sort((a, b) => b.length - a.length)

const pick = <T>(from: readonly T[], chance: () => number): T => from[Math.floor(chance() * from.length)] as T
