import type { Session } from '../../db/database'
import { titleKey } from '../../lib/text'
import type { NoteRow } from '../store'
import { matchTargets, type NoteName, type TargetMatches, type TargetQuery } from './store'

/** The kinds of names, in the order in which they are tried. */
export const NAME_STEP = { id: 0, path: 1, title: 2, alias: 3 } as const

type NamedNote = Pick<NoteRow, 'id' | 'title' | 'title_key' | 'folder' | 'properties'>

/** Returns the folder in the form that names are compared in; the root is empty. */
export function toFolderKey(folder: string | null): string {
  return folder === null ? '' : titleKey(folder)
}

/**
 * Lists every name of a note once. The path of a note in the root begins with `/`; only links in the root look for it.
 */
export function listNoteNames(note: NamedNote): NoteName[] {
  const aliases = new Set(listAliases(note.properties).map(titleKey))
  return [
    { step: NAME_STEP.id, key: `note:${note.id}` },
    { step: NAME_STEP.path, key: `${toFolderKey(note.folder)}/${note.title_key}` },
    { step: NAME_STEP.title, key: note.title_key },
    ...[...aliases].filter((key) => key !== '').map((key) => ({ step: NAME_STEP.alias, key })),
  ]
}

/** Returns the full path of a note, as a link from any folder can spell it. */
export function toLinkPath({ folder, title }: Pick<NoteRow, 'folder' | 'title'>): string {
  return folder === null ? title : `${folder}/${title}`
}

/** Lists the keys of the names that only one of the two notes has; null is a note without names. */
export function listChangedNames(old: NamedNote | null, note: NamedNote | null): string[] {
  const [before, after] = [locateNames(old), locateNames(note)]
  const changed = [...before, ...after].filter(([location]) => !before.has(location) || !after.has(location))
  return [...new Set(changed.map(([, key]) => key))]
}

/**
 * Returns the names by kind, folder and key. The folder is included because a title in a shorter folder path takes
 * precedence.
 */
function locateNames(note: NamedNote | null): Map<string, string> {
  if (note === null) return new Map()
  const folder = toFolderKey(note.folder)
  return new Map(listNoteNames(note).map(({ step, key }) => [JSON.stringify([step, folder, key]), key]))
}

/** Lists the strings of the property `aliases`, which is a string or a list. Ignores other values. */
function listAliases(properties: string): string[] {
  const { aliases } = JSON.parse(properties) as { aliases?: unknown }
  return [aliases].flat().filter((alias) => typeof alias === 'string')
}

/** The steps of resolution, in the order in which they are tried. */
const RESOLUTION_ORDER = [
  'by_id',
  'by_path',
  'in_folder',
  'by_title',
  'by_alias',
] as const satisfies (keyof TargetMatches)[]

/** The note that a target resolves to, and the step that found it. */
export interface ResolvedTarget {
  readonly key: number
  readonly step: (typeof RESOLUTION_ORDER)[number]
}

/** Returns the match of the first step that has one; null if none has. */
export function pickFirstMatch(matches: TargetMatches | undefined): ResolvedTarget | null {
  for (const step of RESOLUTION_ORDER) {
    const key = matches?.[step] ?? null
    if (key !== null) return { key, step }
  }
  return null
}

/**
 * Resolves targets, in their order. A target that matches no name resolves to the note that had this name before a
 * running rename.
 */
export async function resolveTargets(
  { db, workspace }: Session,
  wanted: readonly TargetQuery[],
): Promise<(ResolvedTarget | null)[]> {
  const hits = (await matchTargets(db, workspace.id, wanted)).map(pickFirstMatch)
  const missed = wanted.filter((_, i) => hits[i] === null)
  const former = (await matchTargets(db, workspace.id, missed, 'former')).map(pickFirstMatch).values()
  return hits.map((hit) => hit ?? former.next().value ?? null)
}
