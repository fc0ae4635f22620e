import type { Session } from '../../db/database'
import { stripExtension } from '../../lib/file-target'
import { titleKey } from '../../lib/text'
import type { NoteRow } from '../store'
import {
  type LinkGroup,
  matchTargets,
  type NoteName,
  RESOLUTION_STEPS,
  type ResolutionStep,
  type TargetMatches,
  type TargetQuery,
} from './store'

/**
 * The kinds of names. `name` is that of the file, else the title; the title of a note with a file name has kinds of its own,
 * which are tried later.
 */
export const NAME_STEP = { id: 0, path: 1, name: 2, alias: 3, titlePath: 4, title: 5 } as const

type NamedNote = Pick<NoteRow, 'id' | 'title' | 'file_name' | 'folder' | 'properties'>

/** Returns the name by which links find a note: that of its file without the extension, else its title. */
export function getLinkName({ file_name, title }: Pick<NoteRow, 'file_name' | 'title'>): string {
  return file_name === null ? title : stripExtension(file_name)
}

/** Returns the form in which names and targets of links are compared: as titles, without `.md` at the end. */
export function toNameKey(name: string): string {
  return titleKey(name)
    .replace(/(?<=[^/])\.(?:md|markdown)$/, '')
    .trimEnd()
}

/** Returns the folder in the form that names are compared in; the root is empty. */
export function toFolderKey(folder: string | null): string {
  return folder === null ? '' : titleKey(folder)
}

/**
 * Lists every name of a note once. The path of a note in the root begins with `/`; that of a file is its name as well, as
 * Obsidian has it: such a file comes before one of the same name in the folder of the link.
 */
export function listNoteNames(note: NamedNote): NoteName[] {
  const aliases = new Set(listAliases(note.properties).map(toNameKey))
  const [folder, name, title] = [toFolderKey(note.folder), toNameKey(getLinkName(note)), toNameKey(note.title)]
  return [
    { step: NAME_STEP.id, key: `note:${note.id}` },
    { step: NAME_STEP.path, key: `${folder}/${name}` },
    ...(folder === '' && note.file_name !== null ? [{ step: NAME_STEP.path, key: name }] : []),
    { step: NAME_STEP.name, key: name },
    ...(title === name
      ? []
      : [
          { step: NAME_STEP.titlePath, key: `${folder}/${title}` },
          { step: NAME_STEP.title, key: title },
        ]),
    ...[...aliases].filter((key) => key !== '').map((key) => ({ step: NAME_STEP.alias, key })),
  ]
}

/**
 * Returns the form in which a target is looked up. One that begins with `/`, `./` or `../` becomes the full path that it
 * leads to, which is `/name` in the root; one that leads out of the root stays as it is and finds nothing.
 * @param folder the folded folder of the linking note
 */
export function toTargetKey(target: string, folder: string): string {
  const key = toNameKey(target)
  if (!/^\/|(?:^|\/)\.{1,2}\//.test(key)) return key
  const path = key.startsWith('/') || folder === '' ? [] : folder.split('/')
  for (const part of key.split('/')) {
    if (part === '..' && path.pop() === undefined) return key
    if (part !== '..' && part !== '.' && part !== '') path.push(part)
  }
  return path.length === 1 ? `/${path[0]}` : path.join('/')
}

/** Returns the full path of a note by one of its names, as a link from any folder can spell it. */
export function toLinkPath(folder: string | null, name: string): string {
  return folder === null ? name : `${folder}/${name}`
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

export interface ResolvedTarget {
  readonly key: number
  readonly step: ResolutionStep
}

const STEPS_IN_ORDER = Object.keys(RESOLUTION_STEPS) as ResolutionStep[]

function pickFirstMatch(matches: TargetMatches): ResolvedTarget | null {
  for (const step of STEPS_IN_ORDER) {
    const key = matches[step]
    if (key !== null) return { key, step }
  }
  return null
}

export function toTargetQuery({ target_key, folder_key }: Pick<LinkGroup, 'target_key' | 'folder_key'>): TargetQuery {
  return { target: target_key, folder: folder_key }
}

/** Returns the first matches of targets, in their order; see matchTargets. */
export async function matchFirst(
  session: Session,
  wanted: readonly TargetQuery[],
  which: 'first' | 'former' = 'first',
): Promise<(ResolvedTarget | null)[]> {
  return (await matchTargets(session, wanted, which)).map(pickFirstMatch)
}

/**
 * Resolves targets, in their order. A target that matches no name resolves to the note that had this name before a
 * running rename.
 */
export async function resolveTargets(
  session: Session,
  wanted: readonly TargetQuery[],
): Promise<(ResolvedTarget | null)[]> {
  const hits = await matchFirst(session, wanted)
  const missed = wanted.filter((_, i) => hits[i] === null)
  const former = (await matchFirst(session, missed, 'former')).values()
  return hits.map((hit) => hit ?? former.next().value ?? null)
}
