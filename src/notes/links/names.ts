import type { Session } from '../../db/database'
import { titleKey } from '../../lib/text'
import type { NoteRow } from '../store'
import { matchTargets, type NoteName, type TargetMatches, type TargetQuery } from './store'

/** The kinds of names in the order in which they are tried. */
export const NAME_STEP = { id: 0, path: 1, title: 2, alias: 3 } as const

type NamedNote = Pick<NoteRow, 'id' | 'title' | 'title_key' | 'folder' | 'properties'>

/** The folder as names are compared; the root is empty. */
export function toFolderKey(folder: string | null): string {
  return folder === null ? '' : titleKey(folder)
}

/** Every name of a note, each once. The path of a note in the root begins with `/`: only a link in the root looks for that. */
export function listNoteNames(note: NamedNote): NoteName[] {
  const aliases = new Set(listAliases(note.properties).map(titleKey))
  return [
    { step: NAME_STEP.id, key: `note:${note.id}` },
    { step: NAME_STEP.path, key: `${toFolderKey(note.folder)}/${note.title_key}` },
    { step: NAME_STEP.title, key: note.title_key },
    ...[...aliases].filter((key) => key !== '').map((key) => ({ step: NAME_STEP.alias, key })),
  ]
}

/** How a link from anywhere spells the whole way to a note. */
export function toLinkPath({ folder, title }: Pick<NoteRow, 'folder' | 'title'>): string {
  return folder === null ? title : `${folder}/${title}`
}

/** The keys of the names that one of the two has and the other has not; null is a note without names. */
export function listChangedNames(old: NamedNote | null, note: NamedNote | null): string[] {
  const [before, after] = [locateNames(old), locateNames(note)]
  const changed = [...before, ...after].filter(([place]) => !before.has(place) || !after.has(place))
  return [...new Set(changed.map(([, key]) => key))]
}

/** A title counts for more in a shorter folder, so the folder belongs to every name. */
function locateNames(note: NamedNote | null): Map<string, string> {
  if (note === null) return new Map()
  const folder = toFolderKey(note.folder)
  return new Map(listNoteNames(note).map(({ step, key }) => [JSON.stringify([step, folder, key]), key]))
}

/** The property `aliases`, a string or a list; any other value is no alias. */
function listAliases(properties: string): string[] {
  const { aliases } = JSON.parse(properties) as { aliases?: unknown }
  return [aliases].flat().filter((alias) => typeof alias === 'string')
}

/** The steps of resolution, first come first. */
const RESOLUTION_ORDER = [
  'by_id',
  'by_path',
  'in_folder',
  'by_title',
  'by_alias',
] as const satisfies (keyof TargetMatches)[]

export interface ResolvedTarget {
  readonly key: number
  readonly step: (typeof RESOLUTION_ORDER)[number]
}

/** The note that a target leads to, and by which of its names; null if nothing answers. */
export function pickFirstMatch(answers: TargetMatches | undefined): ResolvedTarget | null {
  for (const step of RESOLUTION_ORDER) {
    const key = answers?.[step] ?? null
    if (key !== null) return { key, step }
  }
  return null
}

/** What targets lead to, in their order; one that matches no name leads to the note that had this name before a rename. */
export async function resolveTargets(
  { db, workspace }: Session,
  wanted: readonly TargetQuery[],
): Promise<(ResolvedTarget | null)[]> {
  const hits = (await matchTargets(db, workspace.id, wanted)).map(pickFirstMatch)
  const missed = wanted.filter((_, i) => hits[i] === null)
  const former = (await matchTargets(db, workspace.id, missed, 'former')).map(pickFirstMatch).values()
  return hits.map((hit) => hit ?? former.next().value ?? null)
}
