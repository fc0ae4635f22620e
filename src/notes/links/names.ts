import { titleKey } from '../../lib/text'
import type { NoteRow } from '../store'

/** The kinds of names in the order in which they are tried. */
export const STEP = { id: 0, path: 1, title: 2, alias: 3 } as const

/** A name that a note answers to, as names are compared. */
export interface Name {
  readonly step: number
  readonly key: string
}

type Named = Pick<NoteRow, 'id' | 'title' | 'title_key' | 'folder' | 'properties'>

/** The folder as names are compared; the root is empty. */
export function folderKey(folder: string | null): string {
  return folder === null ? '' : titleKey(folder)
}

/** Every name of a note, each once. The path of a note in the root begins with `/`: only a link beside it looks for that. */
export function namesOf(note: Named): Name[] {
  const aliases = new Set(aliasesOf(note.properties).map(titleKey))
  return [
    { step: STEP.id, key: `note:${note.id}` },
    { step: STEP.path, key: `${folderKey(note.folder)}/${note.title_key}` },
    { step: STEP.title, key: note.title_key },
    ...[...aliases].filter((key) => key !== '').map((key) => ({ step: STEP.alias, key })),
  ]
}

/** How a link from anywhere spells the whole way to a note. */
export function pathOf({ folder, title }: Pick<NoteRow, 'folder' | 'title'>): string {
  return folder === null ? title : `${folder}/${title}`
}

/** The keys of the names that one of the two has and the other has not; null is a note that answers to nothing. */
export function changedNames(old: Named | null, note: Named | null): string[] {
  const [before, after] = [places(old), places(note)]
  const changed = [...before, ...after].filter(([place]) => !before.has(place) || !after.has(place))
  return [...new Set(changed.map(([, key]) => key))]
}

/** A title counts for more in a shorter folder, so the folder belongs to every name. */
function places(note: Named | null): Map<string, string> {
  if (note === null) return new Map()
  const folder = folderKey(note.folder)
  return new Map(namesOf(note).map(({ step, key }) => [JSON.stringify([step, folder, key]), key]))
}

/** The property `aliases`, a string or a list; whatever else stands there is no alias. */
function aliasesOf(properties: string): string[] {
  const { aliases } = JSON.parse(properties) as { aliases?: unknown }
  return [aliases].flat().filter((alias) => typeof alias === 'string')
}
