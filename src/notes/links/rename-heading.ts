import { type Replacement, replaceParts } from '../../lib/text'
import {
  createHeadingFinder,
  getFullPath,
  type HeadingName,
  type HeadingRename,
  readHeadingPath,
  stripSigns,
} from '../markdown/headings'
import { encodeNotePath } from '../markdown/note-path'
import type { BodyLink } from './body-links'
import { isReadAsWanted, readLinks } from './rewrite-links'

/** Makes the function that returns what the heading of a link becomes; null if it stays as it is. */
function createPathRename({ headings, at, text }: HeadingRename, spell: (text: string) => string) {
  const after = headings.map((heading, i): HeadingName => (i === at ? [heading[0], text] : heading))
  const [findBefore, findAfter] = [createHeadingFinder(headings), createHeadingFinder(after)]
  return (part: string): string | null => {
    const path = readHeadingPath(part)
    if (path === null) return null
    const found = findBefore(path)
    const last = found?.at(-1)
    if (!found?.includes(at) || last === undefined) return null
    const renamed = path.map((name, i) => (found[i] === at ? spell(text) : name.trim()))
    const full = getFullPath(after, last).map(spell)
    // Another heading may have the new name, or none a name that a link can spell.
    return [renamed, full].find((names) => findAfter(names)?.at(-1) === last)?.join('#') ?? null
  }
}

/** What cannot stand in the heading of a link. */
const UNSPELLABLE = /[:#|^\\\r\n]|%%|\[\[|\]\]/g
const spellPlain = (text: string): string => text.replace(UNSPELLABLE, ' ').replace(/\s+/g, ' ').trim()

/**
 * Replaces renamed headings in the links of a body that lead to their note. Nothing else of the body changes.
 * @param leadsThere whether a target, as it is written, leads to the note
 * @returns null if the new texts would change how other text is parsed
 */
export function rewriteHeadings(
  body: string,
  renames: readonly HeadingRename[],
  leadsThere: (target: string) => boolean,
): string | null {
  const before = readLinks(body)
  for (const spell of [spellPlain, stripSigns]) {
    const steps = renames.map((rename) => createPathRename(rename, spell))
    const wanted = before.links.map((link) => {
      if (link.heading === null || !leadsThere(link.target)) return null
      const heading = steps.reduce((part, rename) => rename(part) ?? part, link.heading)
      return heading === link.heading ? null : { target: link.target, written: '', alias: null, heading }
    })
    const replacements = before.links.flatMap((link, i) => (wanted[i] ? [place(body, link, wanted[i].heading)] : []))
    const rewritten = replaceParts(body, replacements)
    if (isReadAsWanted(before, wanted, readLinks(rewritten))) return rewritten
  }
  return null
}

function place(body: string, { targetStart, targetEnd, end, markdown }: BodyLink, heading: string): Replacement {
  if (markdown) {
    const { destination, path } = markdown
    const start = targetStart - path.from
    const place = { ...path, from: path.to + 1, to: destination.length - (destination.startsWith('<') ? 1 : 0) }
    const text = heading
      .split('#')
      .map((name) => encodeNotePath(name, destination, place))
      .join('#')
    return { from: start + place.from, to: start + place.to, text }
  }
  const inner = body.slice(targetEnd, end - 2)
  const bar = inner.search(/\\?\|/)
  const written = inner.slice(0, bar < 0 ? inner.length : bar)
  const hash = written.indexOf('#') + 1
  const from = targetEnd + hash + written.slice(hash).length - written.slice(hash).trimStart().length
  return { from, to: from + written.slice(hash).trim().length, text: heading }
}
