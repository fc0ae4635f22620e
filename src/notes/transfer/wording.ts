import { cutCodePoints } from '../../lib/text'
import { FOLDER_LEVELS, TAG_LENGTH, TITLE_LENGTH } from '../note'
import type { Warning } from './parsed'

/** Titles, tags and folders of other programs in the form that notes have here. What had to change is told. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g

/** A title as one line of at most 500 characters; null if nothing is left, so that the body gives it. */
export function toTitle(text: string, warnings: Warning[]): string | null {
  const title = cutCodePoints(text.replace(CONTROLS, ' '), TITLE_LENGTH)
  if (title.trim() === '') return null
  if (title !== text)
    warnings.push({ code: 'title_changed', detail: 'The title was made one line of at most 500 characters.' })
  return title
}

/** Tags without `#`, commas and white space around; what cannot be a tag is left out. */
export function toTags(texts: readonly string[], warnings: Warning[]): string[] {
  return texts.flatMap((text) => {
    const plain = text.trim().replace(/^#/, '')
    const tag = cutCodePoints(plain.replace(/[#,]/g, '-').replace(CONTROLS, ' '), TAG_LENGTH).trim()
    if (tag !== plain)
      warnings.push({
        code: 'tag_changed',
        detail: `The tag ${JSON.stringify(plain.slice(0, 200))} became ${JSON.stringify(tag)}.`,
      })
    return tag === '' ? [] : [tag]
  })
}

/** The folder that a path's directories name; null is the root. */
export function toFolder(names: readonly string[], warnings: Warning[]): string | null {
  const levels = names.map((name) => name.replace(CONTROLS, ' ').trim()).filter((name) => name !== '' && name !== '.')
  const kept = levels.slice(0, FOLDER_LEVELS)
  if (kept.join('/') !== names.join('/'))
    warnings.push({
      code: 'folder_changed',
      detail: `The folder was made one of at most ${FOLDER_LEVELS} levels without control characters.`,
    })
  return kept.length === 0 ? null : kept.join('/')
}

const WHEN = /^(\d{4}-\d\d-\d\d)(?:[Tt ]+(\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?[ ]*(Z|z|[+-]\d\d:?\d\d)?)?$/

/** An instant as people and programs write it, UTC where no zone is given; null if it is none. Milliseconds. */
export function toInstant(text: string): number | null {
  const [, date, time = '00:00', seconds = ':00', zone = 'Z'] = WHEN.exec(text.trim()) ?? []
  if (date === undefined || !isDate(date)) return null
  const offset = zone.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  const at = Date.parse(`${date}T${time}${seconds.slice(0, 7)}${offset}`)
  return Number.isNaN(at) || !inRange(at) ? null : at
}

/** Whether a civil date is a real one. */
export function isDate(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** Only years of four digits can be written as instants. */
export function inRange(at: number): boolean {
  return at >= -62_167_219_200_000 && at < 253_402_300_800_000
}
