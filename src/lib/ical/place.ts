import { MAX_ITEM_LABEL_CHARS } from './item'
import { readPropertyName, unescapeText } from './properties'
import { takeCodePoints, writeTextLine } from './text'
import { joinLines } from './texts'

// The project and the section of a task, by name. No property of RFC 5545 has them.

const PROJECT = 'X-SATCHEL-PROJECT'
const SECTION = 'X-SATCHEL-SECTION'

/** The properties of a place. The lines of an item keep them, so that the next import knows where the file had it. */
export const PLACE_PROPERTIES: ReadonlySet<string> = new Set([PROJECT, SECTION])

/** A project and a section of it, by name. */
export interface ItemPlace {
  /** Null: the project into which the file is imported. */
  readonly project: string | null
  readonly section: string | null
}

/** Writes a place; no lines for none, which is the inbox. */
export function writePlaceLines(place: ItemPlace | null): string[] {
  return [
    ...writeTextLine(`${PROJECT};VALUE=TEXT`, place?.project ?? null),
    ...writeTextLine(`${SECTION};VALUE=TEXT`, place?.section ?? null),
  ]
}

/** Reads the place from the lines that are kept of an item; null if they name none. */
export function readPlace(rest: string): ItemPlace | null {
  const [project, section] = [readName(rest, PROJECT), readName(rest, SECTION)]
  return project === null && section === null ? null : { project, section }
}

/** Reads a name, cut at the length of the name of a project. */
function readName(rest: string, property: string): string | null {
  const line = rest.includes(property)
    ? rest.split('\n').find((text) => readPropertyName(text) === property)
    : undefined
  if (line === undefined) return null
  const text = joinLines(unescapeText(line.slice(line.indexOf(':') + 1))).replace(/\p{Cc}/gu, '')
  return takeCodePoints(text, MAX_ITEM_LABEL_CHARS).text.trim() || null
}
