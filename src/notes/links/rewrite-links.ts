import type { Session } from '../../db/database'
import { NOTE_ENDING } from '../../lib/file-target'
import { type Replacement, replaceParts, titleKey } from '../../lib/text'
import { encodeNotePath } from '../markdown/note-path'
import { scanMarkdown } from '../markdown/scan-markdown'
import { getNotesByKey, LOCATION, type NoteRow } from '../store'
import { type BodyLink, listLinks } from './body-links'
import { type FormerName, listFormerNames } from './former-store'
import {
  getLinkName,
  matchFirst,
  NAME_STEP,
  toFolderKey,
  toLinkPath,
  toNameKey,
  toTargetKey,
  toTargetQuery,
} from './names'
import type { ResolutionStep, ResolvedLink } from './store'

export interface LinkSpelling {
  readonly target: string
  /** The alias to add to a link that has none; null adds none. */
  readonly display: string | null
}

export interface LinkRewrite {
  /** Null: only links that are relative to a folder are rewritten. */
  readonly wanted: LinkSpelling | null
  /** A spelling for the case that the wanted one would change how the text around it is parsed. */
  readonly safe: LinkSpelling
  /** The kind of name by which the links resolved so far. */
  readonly step: ResolutionStep
  /** Where the note is now. */
  readonly path: NotePlace
  /** Whether a path relative to the folder of the links leads to the note without `./` too. */
  readonly plainLeads: boolean
  /** Whether its path leads to the note: another note may have the same one. */
  readonly pathLeads: boolean
}

/** The folder of a note, and the name by which links find it. */
interface NotePlace {
  readonly folder: string | null
  readonly name: string
}

/** The folder of the linking note, before and after the rename. */
interface LinkFolders {
  readonly from: string | null
  readonly to: string | null
}

/** UTF-16 units of the line that are checked before and after a link; rows of tables are rarely longer. */
const MAX_LINE_LOOKAROUND_UNITS = 1000

/** Whether a link with this target is parsed as a link to just this target. */
export function isSpellable(target: string): boolean {
  if (/[[\]|#^]/.test(target)) return false
  const [link, ...more] = scanMarkdown(`[[${target}]]`).links
  return link !== undefined && more.length === 0 && link.alias === null && toNameKey(link.target) === toNameKey(target)
}

/**
 * Returns a spelling that names the note by its id, which always works. Brackets are replaced, since an alias cannot
 * contain them.
 */
export function spellById(id: string, title: string): LinkSpelling {
  return { target: `note:${id}`, display: title.trim().replaceAll('[', '(').replaceAll(']', ')') }
}

/**
 * Replaces the targets of links in a body. Headings, aliases and every byte outside of these targets do not change. A
 * backtick or `%%` in a new title may change how the text around it is parsed; then all links get their safe spelling.
 * @param spellings by target, as toTargetKey returns it for the folder before the rename
 * @returns the new body; null if even the safe spellings would change how other text is parsed
 */
export function rewriteLinks(
  body: string,
  spellings: ReadonlyMap<string, LinkRewrite>,
  folders: LinkFolders,
): string | null {
  const before = readLinks(body)
  const attempts = [
    ({ wanted }: LinkRewrite) => wanted,
    ({ safe }: LinkRewrite) => safe,
    ({ safe }: LinkRewrite) => ({ ...safe, display: null }),
  ]
  const folder = toFolderKey(folders.from)
  for (const [nth, attempt] of attempts.entries()) {
    const wanted = before.links.map((link) => {
      const rewrite = spellings.get(toTargetKey(link.target, folder))
      if (!rewrite) return null
      if (link.markdown) return fitMarkdownLink(link, link.markdown, rewrite, folders)
      const relative = rewrite.pathLeads ? fitRelativeLink(link, rewrite, folders) : null
      if (relative !== null && nth === 0) return { target: relative, written: relative, alias: null }
      const spelling = relative === null && rewrite.wanted === null ? null : attempt(rewrite)
      return spelling && fitSpelling(body, link, spelling)
    })
    const replacements = before.links.flatMap((link, i) => toReplacements(link, wanted[i] ?? null))
    const rewritten = replaceParts(body, replacements)
    if (isReadAsWanted(before, wanted, readLinks(rewritten))) return rewritten
  }
  return null
}

/** The links of a body in the order of their targets, and what must stay as it is beside them. */
export function readLinks(body: string): LinksOfBody {
  const { code, comments } = scanMarkdown(body)
  const links = listLinks(body).toSorted((a, b) => a.targetStart - b.targetStart)
  return { links, code: code.length, comments: comments.length }
}

interface LinksOfBody {
  readonly links: readonly BodyLink[]
  readonly code: number
  readonly comments: number
}

/** Returns the path of a note relative to a folder, such as `../Money/Budget`. */
export function toRelativePath(from: string | null, { folder, name }: NotePlace): string {
  const [here, there] = [from?.split('/') ?? [], folder?.split('/') ?? []]
  const isSame = (part: string, i: number) => titleKey(part) === titleKey(there[i] ?? '/')
  const common = here.findIndex((part, i) => !isSame(part, i))
  const shared = common < 0 ? here.length : common
  return [...here.slice(shared).map(() => '..'), ...there.slice(shared), name].join('/')
}

/** Returns the new target of a wiki link that begins with `/`, `./` or `../`; null for any other, or without a spelling. */
function fitRelativeLink({ target }: BodyLink, { path }: LinkRewrite, folders: LinkFolders): string | null {
  const written = spellPath(target, path, folders)
  return written !== null && isSpellable(written) ? written + getExtension(target) : null
}

/** Spells a path as a target does that begins with `/`, `./` or `../`; null for any other target. */
function spellPath(target: string, path: NotePlace, { to }: LinkFolders): string | null {
  if (target.startsWith('/')) return `/${toLinkPath(path.folder, path.name)}`
  if (!/^\.{1,2}\//.test(target)) return null
  const relative = toRelativePath(to, path)
  return relative.startsWith('../') ? relative : `./${relative}`
}

/** Fits a Markdown link, which has no other spelling than a path: relative stays relative, and the encoding is kept. */
function fitMarkdownLink(
  { target }: BodyLink,
  { destination, path: place }: NonNullable<BodyLink['markdown']>,
  { wanted, step, path, plainLeads }: LinkRewrite,
  folders: LinkFolders,
): FittedSpelling | null {
  const relative = toRelativePath(folders.to, path)
  const isRelative = step === 'in_folder' || step === 'below_folder' || (step === 'by_path' && folders.from === null)
  const plain = wanted === null || wanted.target.startsWith('note:') ? null : wanted.target
  const plainRelative = plainLeads || relative.startsWith('../') ? relative : `./${relative}`
  const name = spellPath(target, path, folders) ?? (isRelative ? plainRelative : (plain ?? (wanted && plainRelative)))
  if (name === null) return null
  const full = name + getExtension(target)
  return { target: full, written: encodeNotePath(full, destination, place), alias: null }
}

function getExtension(target: string): string {
  return NOTE_ENDING.exec(target)?.[0] ?? ''
}

interface FittedSpelling {
  readonly target: string
  /** The target as written in the body. */
  readonly written: string
  /** The text to insert before the closing brackets; null for none. */
  readonly alias: { readonly bar: string; readonly text: string } | null
  /** The new heading, if that changes. */
  readonly heading?: string
}

/** Fits a spelling to a wiki link: one with `.md` keeps it, one in a row of a table escapes its bar. */
function fitSpelling(body: string, link: BodyLink, { target: name, display }: LinkSpelling): FittedSpelling {
  const extension = getExtension(link.target)
  const target = name.startsWith('note:') || name.endsWith(extension) ? name : name + extension
  if (display === null || link.alias !== null) return { target, written: target, alias: null }
  const inTable = isInTableRow(body, link)
  if (inTable && display.includes('|')) return { target, written: target, alias: null }
  const hasBar = body.slice(link.targetEnd, link.end - 2).includes('|')
  return { target, written: target, alias: { bar: hasBar ? '' : inTable ? '\\|' : '|', text: display } }
}

/**
 * Whether the line has bars outside of links. It may be a row of a table, where an unescaped bar would separate two
 * cells.
 */
function isInTableRow(body: string, { start, end }: BodyLink): boolean {
  const before =
    body
      .slice(Math.max(0, start - MAX_LINE_LOOKAROUND_UNITS), start)
      .split(/[\r\n]/)
      .at(-1) ?? ''
  const [after = ''] = body.slice(end, end + MAX_LINE_LOOKAROUND_UNITS).split(/[\r\n]/, 1)
  return `${before} ${after}`.replace(/\[\[[^[\]]*\]\]|\\\|/g, '').includes('|')
}

function toReplacements({ targetStart, targetEnd, end }: BodyLink, spelling: FittedSpelling | null): Replacement[] {
  if (!spelling) return []
  const target = { from: targetStart, to: targetEnd, text: spelling.written }
  const { alias } = spelling
  return alias ? [target, { from: end - 2, to: end - 2, text: alias.bar + alias.text }] : [target]
}

/** Whether the new body is parsed like the old one, except for the wanted spellings. */
export function isReadAsWanted(
  before: LinksOfBody,
  wanted: readonly (FittedSpelling | null)[],
  after: LinksOfBody,
): boolean {
  const isSame = before.code === after.code && before.comments === after.comments
  if (!isSame || before.links.length !== after.links.length) return false
  return before.links.every((link, i) => {
    const [now, spelling] = [after.links[i], wanted[i]]
    // The text of a Markdown link may hold a link that is rewritten, too.
    const alias = link.markdown ? now?.alias : (spelling?.alias?.text ?? link.alias)
    return (
      now?.embed === link.embed &&
      toNameKey(now.target) === toNameKey(spelling?.target ?? link.target) &&
      now.heading === (spelling?.heading ?? link.heading) &&
      now.alias === alias
    )
  })
}

export type NoteLocation = Pick<NoteRow, 'id' | 'title' | 'file_name' | 'folder'>

export interface Rename {
  /** The id that the former names are stored with. */
  readonly id: string
}

/** The targets that must be rewritten, by the key of the linking note and by target (folded by toNameKey). */
type LinkRewrites = Map<number, Map<string, LinkRewrite>>

/**
 * Links that get the same new target: they have the same target, folder and note, and resolved by the same kind of
 * name.
 */
interface LinkSpellingGroup {
  readonly to: number
  /** The kind of name by which they resolved so far. */
  readonly step: ResolutionStep
  readonly kept: boolean
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
  const keys = [...new Set(links.map(({ resolved }) => resolved))]
  const former = Map.groupBy(await listFormerNames(session, id, keys), ({ note }) => note)
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
  const located = moved ? await getNotesByKey(session, keys, LOCATION) : []
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
async function findPresentSteps(session: Session, links: readonly ResolvedLink[]): Promise<(ResolutionStep | null)[]> {
  const hits = await matchFirst(session, links.map(toTargetQuery))
  return links.map(({ resolved }, i) => (hits[i]?.key === resolved ? (hits[i]?.step ?? null) : null))
}

async function planGroups(
  session: Session,
  groups: ReadonlyMap<string, LinkSpellingGroup>,
  locations: ReadonlyMap<number, NoteLocation>,
): Promise<Map<string, LinkRewrite>> {
  const hits = await matchFirst(session, [...groups.values()])
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
  const matches = await matchFirst(session, wanted)
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
): ResolutionStep | null {
  const has = (step: number, key: string) => former.some((name) => name.step === step && name.key === key)
  if (has(NAME_STEP.id, target)) return 'by_id'
  if (has(NAME_STEP.path, target)) return 'by_path'
  if (has(NAME_STEP.path, `${folder_key}/${target}`)) return target.includes('/') ? 'below_folder' : 'in_folder'
  if (has(NAME_STEP.name, target)) return 'by_name'
  if (has(NAME_STEP.titlePath, target)) return 'by_title_path'
  if (has(NAME_STEP.title, target)) return 'by_title'
  return has(NAME_STEP.alias, target) ? 'by_alias' : null
}
