import { titleKey } from '../../lib/text.ts'
import { scanHeadings } from './scan-markdown.ts'

/**
 * Which heading of a note a link such as `[[Note#Plan#Costs]]` leads to, as Obsidian has it: the first `Plan`, and below
 * it the first `Costs`.
 */

/** The level and the text of a heading. */
export type HeadingName = readonly [level: number, text: string]

/** A heading that got another text, while all others of its note stayed as they were. */
export interface HeadingRename {
  /** The headings before. */
  readonly headings: readonly HeadingName[]
  /** Which of them it is. */
  readonly at: number
  readonly text: string
}

/** What Obsidian takes for a space where it compares a link with a heading. */
const SIGNS = /[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\r\n]/g

/** Returns a heading's text without the signs that do not matter to a link. */
export function stripSigns(text: string): string {
  return text.replace(SIGNS, ' ').replace(/\s+/g, ' ').trim()
}

/** Returns the form in which the headings of links are compared. */
export function toHeadingKey(text: string): string {
  return titleKey(stripSigns(text))
}

export function listHeadingNames(body: string): readonly HeadingName[] {
  return scanHeadings(body).map(({ level, text }) => [level, text])
}

/** Returns the headings that a link names, the outermost first; null for a block, such as `^plan`. */
export function readHeadingPath(part: string): readonly string[] | null {
  return part.startsWith('^') ? null : part.split('#').filter((text) => text.trim() !== '')
}

/** Makes the function that finds the headings of a path: their indexes in the list, or null if there are none. */
export function createHeadingFinder(headings: readonly HeadingName[]) {
  const byKey = Map.groupBy(headings.keys(), (at) => toHeadingKey(headings[at]?.[1] ?? ''))
  return (path: readonly string[]): readonly number[] | null => {
    const found: number[] = []
    for (const text of path) {
      const above = found.at(-1) ?? -1
      const level = headings[above]?.[0] ?? 0
      const at = byKey.get(toHeadingKey(text))?.find((at) => at > above && (headings[at]?.[0] ?? 0) > level)
      if (at === undefined) return null
      found.push(at)
    }
    return path.length === 0 ? null : found
  }
}

/** Returns the texts of a heading and of those that it is below, the outermost first. */
export function getFullPath(headings: readonly HeadingName[], index: number): string[] {
  const path: string[] = []
  let level = 7
  for (let at = index; at >= 0 && level > 1; at -= 1) {
    const [above = 7, text = ''] = headings[at] ?? []
    if (above >= level) continue
    path.unshift(text)
    level = above
  }
  return path
}

/** Returns the heading that has another text, if it is the only one that differs, at the same place and level. */
export function findRenamedHeading(before: string, after: string): HeadingRename | null {
  const [headings, now] = [listHeadingNames(before), listHeadingNames(after)]
  if (headings.length !== now.length) return null
  const changed = headings.flatMap(([level, text], at) => (now[at]?.[0] === level && now[at][1] === text ? [] : [at]))
  const [at = 0] = changed
  const [[level], [newLevel, text]] = [headings[at] ?? [], now[at] ?? []]
  return changed.length === 1 && text !== undefined && level === newLevel ? { headings, at, text } : null
}
