import type { Session } from '../../db/database'
import { titleKey } from '../../lib/text'
import { getLinkName } from '../link-name'
import { getNoteLocations, type NoteRow } from '../store'
import { type FormerName, listFormerNames } from './former-store'
import { NAME_STEP, toFolderKey, toLinkPath, toNameKey, toTargetKey } from './names'
import { pickFirstMatch, type ResolvedTarget } from './resolve'
import { isSpellable, type LinkRewrite, spellById, toRelativePath } from './rewrite-links'
import { matchTargets, type ResolvedLink, type TargetQuery } from './store'

export type NoteLocation = Pick<NoteRow, 'id' | 'title' | 'file_name' | 'folder'>

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
  /** The kind of name by which they resolved so far. */
  readonly step: ResolvedTarget['step']
  readonly kept: boolean
  /** Whether the linking note is renamed itself. */
  readonly moved: boolean
  readonly target: string
  readonly folder: string
}

/**
 * Plans the new targets of links that resolved to renamed notes by their former names. Leaves out links that still
 * resolve to them, and links to other notes. All renamed notes must already have their new names.
 * @param locate returns the final locations of the renamed notes by their keys
 * @param moved the linking note after the rename, if it is renamed itself: then also plans its links to notes that keep
 * their names, as it may spell them relative to its folder
 */
export async function planLinkRewrites(
  session: Session,
  { id }: Rename,
  links: readonly ResolvedLink[],
  locate: (keys: readonly number[]) => Promise<ReadonlyMap<number, NoteLocation>>,
  moved: NoteLocation | null = null,
): Promise<LinkRewrites> {
  const { db, workspace } = session
  const keys = [...new Set(links.map(({ resolved }) => resolved))]
  const former = Map.groupBy(await listFormerNames(db, workspace.id, id, keys), ({ note }) => note)
  const groups = new Map<string, LinkSpellingGroup>()
  const grouped: { readonly link: ResolvedLink; readonly group: string }[] = []
  const present = moved ? await findPresentSteps(session, links) : []
  for (const [i, link] of links.entries()) {
    const formerStep = findStep(former.get(link.resolved) ?? [], link)
    const step = formerStep ?? present[i] ?? null
    if (step === null) continue
    const folder = moved ? toFolderKey(moved.folder) : link.folder_key
    const group = {
      to: link.resolved,
      step,
      kept: formerStep === null,
      moved: moved !== null,
      target: link.target_key,
      folder,
    }
    const key = JSON.stringify(Object.values(group))
    groups.set(key, group)
    grouped.push({ link, group: key })
  }
  if (groups.size === 0) return new Map()
  const located = moved ? await getNoteLocations(db, workspace.id, keys) : []
  const locations = new Map(located.map(({ key, ...location }): [number, NoteLocation] => [key, location]))
  for (const [key, location] of await locate(moved ? keys : [...former.keys()])) locations.set(key, location)
  const spellings = await planGroups(session, groups, locations)
  const plan: LinkRewrites = new Map()
  for (const { link, group } of grouped) {
    const spelling = spellings.get(group)
    if (!spelling) continue
    const ofSource = plan.get(link.source) ?? new Map<string, LinkRewrite>()
    plan.set(link.source, ofSource.set(link.target_key, spelling))
  }
  return plan
}

/** Returns the steps by which the links of a note resolve to their notes now; null if they do by a former name. */
async function findPresentSteps(
  { db, workspace }: Session,
  links: readonly ResolvedLink[],
): Promise<(ResolvedTarget['step'] | null)[]> {
  const wanted = links.map(({ target_key, folder_key }) => ({ target: target_key, folder: folder_key }))
  const hits = (await matchTargets(db, workspace.id, wanted)).map(pickFirstMatch)
  return links.map(({ resolved }, i) => (hits[i]?.key === resolved ? (hits[i]?.step ?? null) : null))
}

async function planGroups(
  { db, workspace }: Session,
  groups: ReadonlyMap<string, LinkSpellingGroup>,
  locations: ReadonlyMap<number, NoteLocation>,
): Promise<Map<string, LinkRewrite>> {
  const find = async (wanted: readonly TargetQuery[]) =>
    (await matchTargets(db, workspace.id, wanted)).map(pickFirstMatch)
  const hits = await find([...groups.values()])
  const rewrites = [...groups].flatMap(([key, group], i) => {
    const location = locations.get(group.to)
    if (!location) return []
    const path = { folder: location.folder, name: getLinkName(location) }
    const isUntouched = hits[i]?.key === group.to && (group.kept || hasSameName(group, location))
    if (isUntouched && !mayBeRelative(group, location)) return []
    const candidates = [spellName(group, location), toLinkPath(path.folder, path.name)]
    return [{ key, group, location, path, isUntouched, candidates }]
  })
  const wanted = rewrites.flatMap(({ group: { folder }, path, candidates }) => [
    ...candidates.map((target) => ({ target: toNameKey(target), folder })),
    {
      target: toNameKey(toRelativePath(folder || null, { ...path, folder: path.folder && titleKey(path.folder) })),
      folder,
    },
    { target: toTargetKey(`/${toLinkPath(path.folder, path.name)}`, ''), folder },
  ])
  const matches = await find(wanted)
  return new Map(
    rewrites.map(({ key, group, location, path, isUntouched, candidates }, i) => {
      const leads = (nth: number) => matches[4 * i + nth]?.key === group.to
      const target = candidates.find((candidate, nth) => leads(nth) && isSpellable(candidate))
      const safe = spellById(location.id, location.title)
      const spelling = target === undefined ? safe : { target, display: null }
      const rewrite = { wanted: isUntouched ? null : spelling, safe, step: group.step, path }
      return [key, { ...rewrite, plainLeads: leads(2), pathLeads: leads(3) }]
    }),
  )
}

/** Whether links of a group that keep their target may be spelled relative to a folder that is another now. */
function mayBeRelative({ moved, step, folder }: LinkSpellingGroup, location: NoteLocation): boolean {
  return moved || (/_folder$/.test(step) && toFolderKey(location.folder) !== folder)
}

function spellName({ step }: LinkSpellingGroup, { title, folder, ...location }: NoteLocation): string {
  if (step === 'by_title') return title
  if (step === 'by_title_path') return toLinkPath(folder, title)
  const name = getLinkName({ title, ...location })
  return step === 'by_path' || step === 'below_folder' ? toLinkPath(folder, name) : name
}

/** Whether a link finds the note by a name that it keeps, its id or an alias. */
function hasSameName(group: LinkSpellingGroup, location: NoteLocation): boolean {
  if (group.step === 'by_id' || group.step === 'by_alias') return true
  const key = toNameKey(spellName(group, location))
  return key === group.target || `/${key}` === group.target || key === `${group.folder}/${group.target}`
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
  if (has(NAME_STEP.path, `${folder_key}/${target}`)) return target.includes('/') ? 'below_folder' : 'in_folder'
  if (has(NAME_STEP.name, target)) return 'by_name'
  if (has(NAME_STEP.titlePath, target)) return 'by_title_path'
  if (has(NAME_STEP.title, target)) return 'by_title'
  return has(NAME_STEP.alias, target) ? 'by_alias' : null
}
