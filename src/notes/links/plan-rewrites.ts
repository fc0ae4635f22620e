import type { Session } from '../../db/database'
import { getLinkName } from '../file-name'
import type { NoteRow } from '../store'
import { type FormerName, listFormerNames } from './former-store'
import { NAME_STEP, pickFirstMatch, type ResolvedTarget, toLinkPath, toNameKey } from './names'
import { isSpellable, type LinkRewrite, spellById } from './rewrite-links'
import { matchTargets, type ResolvedLink } from './store'

/** The names and the folder of a note. */
export type NoteLocation = Pick<NoteRow, 'id' | 'title' | 'file_name' | 'folder'>

/** A rename of one note or of many. */
export interface Rename {
  /** The id that the former names are stored with. */
  readonly id: string
}

/** The targets that must be rewritten, by the key of the linking note and by target (folded by toNameKey). */
export type LinkRewrites = Map<number, Map<string, LinkRewrite>>

/**
 * Links that get the same new target: they have the same target, folder and note, and resolved by the same kind of
 * name.
 */
interface LinkSpellingGroup {
  readonly to: number
  readonly step: ResolvedTarget['step']
  readonly target: string
  readonly folder: string
}

/**
 * Plans the new targets of links that resolved to renamed notes by their former names. Leaves out links that still
 * resolve to them, and links to other notes. All renamed notes must already have their new names.
 * @param locate returns the final locations of the renamed notes by their keys
 * @param folder the folded folder of the linking note after the rename; null: it does not change
 */
export async function planLinkRewrites(
  session: Session,
  { id }: Rename,
  links: readonly ResolvedLink[],
  locate: (keys: readonly number[]) => Promise<ReadonlyMap<number, NoteLocation>>,
  folder: string | null = null,
): Promise<LinkRewrites> {
  const { db, workspace } = session
  const keys = [...new Set(links.map(({ resolved }) => resolved))]
  const former = Map.groupBy(await listFormerNames(db, workspace.id, id, keys), ({ note }) => note)
  const groups = new Map<string, LinkSpellingGroup>()
  const grouped: { readonly link: ResolvedLink; readonly group: string }[] = []
  for (const link of links) {
    const step = findStep(former.get(link.resolved) ?? [], link)
    if (step === null) continue
    const group = { to: link.resolved, step, target: link.target_key, folder: folder ?? link.folder_key }
    const key = JSON.stringify(Object.values(group))
    groups.set(key, group)
    grouped.push({ link, group: key })
  }
  if (groups.size === 0) return new Map()
  const spellings = await planGroups(session, groups, await locate([...former.keys()]))
  const plan: LinkRewrites = new Map()
  for (const { link, group } of grouped) {
    const spelling = spellings.get(group)
    if (!spelling) continue
    const ofSource = plan.get(link.source) ?? new Map<string, LinkRewrite>()
    plan.set(link.source, ofSource.set(link.target_key, spelling))
  }
  return plan
}

async function planGroups(
  { db, workspace }: Session,
  groups: ReadonlyMap<string, LinkSpellingGroup>,
  locations: ReadonlyMap<number, NoteLocation>,
): Promise<Map<string, LinkRewrite>> {
  const hits = (await matchTargets(db, workspace.id, [...groups.values()])).map(pickFirstMatch)
  const rewrites = [...groups].flatMap(([key, group], i) => {
    const location = locations.get(group.to)
    if (!location || (hits[i]?.key === group.to && isUntouched(group, location))) return []
    const path = toLinkPath(location.folder, getLinkName(location))
    return [{ key, group, location, candidates: [spellName(group, location), path] }]
  })
  const wanted = rewrites.flatMap(({ group, candidates }) =>
    candidates.map((target) => ({ target: toNameKey(target), folder: group.folder })),
  )
  const matches = (await matchTargets(db, workspace.id, wanted)).map(pickFirstMatch).values()
  return new Map(
    rewrites.map(({ key, group, location, candidates }) => {
      const leading = candidates.filter(() => matches.next().value?.key === group.to)
      const target = leading.find(isSpellable)
      const safe = spellById(location.id, location.title)
      return [key, { wanted: target === undefined ? safe : { target, display: null }, safe }]
    }),
  )
}

/** Returns the new target of a link that found the note by a kind of name. */
function spellName({ step, target }: LinkSpellingGroup, { title, folder, ...location }: NoteLocation): string {
  if (step === 'by_title') return title
  if (step === 'by_title_path') return toLinkPath(folder, title)
  const name = getLinkName({ title, ...location })
  if (step !== 'by_path') return name
  return (target.startsWith('/') ? '/' : '') + toLinkPath(folder, name)
}

/** Whether the rename does not affect such a link: it is by id or alias, or by a name that stays. */
function isUntouched(group: LinkSpellingGroup, location: NoteLocation): boolean {
  return group.step === 'by_id' || group.step === 'by_alias' || toNameKey(spellName(group, location)) === group.target
}

/**
 * Finds the step by which a link resolved to a former name of its note, the first in the order of resolution; null if
 * none.
 */
function findStep(
  former: readonly FormerName[],
  { target_key: target, folder_key }: ResolvedLink,
): ResolvedTarget['step'] | null {
  const has = (step: number, key: string) => former.some((name) => name.step === step && name.key === key)
  if (has(NAME_STEP.id, target)) return 'by_id'
  if (has(NAME_STEP.path, target)) return 'by_path'
  if (has(NAME_STEP.path, `${folder_key}/${target}`)) return 'in_folder'
  if (has(NAME_STEP.name, target)) return 'by_name'
  if (!target.startsWith('/') && has(NAME_STEP.titlePath, target)) return 'by_title_path'
  if (has(NAME_STEP.title, target)) return 'by_title'
  return has(NAME_STEP.alias, target) ? 'by_alias' : null
}
