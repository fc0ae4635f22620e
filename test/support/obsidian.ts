import type { Vault } from './vault'

/**
 * Reads the links of a folder of Markdown files as Obsidian 1.13 does: a second opinion, which shares no code with the
 * server. Code stands in backticks or fences here, and comments in `%%`, one of them never within another.
 */

/** A link, and the path of the file that it leads to; null if none. */
export interface VaultLink {
  readonly source: string
  readonly written: string
  readonly leadsTo: string | null
}

/** Lists the links of a file to Markdown files, pictures and PDF files, in the order of the text. */
export function linksOf(vault: Vault, source: string): VaultLink[] {
  const text = (vault[source] ?? '')
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/```[\s\S]*?```|`[^`]*`|%%[\s\S]*?%%/g, '')
  const patterns = [
    /!?\[\[(?<wiki>[^[\]]+)\]\]/,
    /\]\((?<inline><[^<>]*>|[^\s<>]+?\)?)(?: "[^"]*")?\)/,
    /^\[[^[\]]+\]: *(?<defined><[^<>]*>|\S+)/,
  ]
  const found = text.matchAll(new RegExp(patterns.map((pattern) => pattern.source).join('|'), 'gm'))
  return [...found].flatMap(({ 0: written, groups = {} }) => {
    const path = groups.wiki === undefined ? readAddress(groups.inline ?? groups.defined ?? '') : readWiki(groups.wiki)
    return path === null ? [] : [{ source, written, leadsTo: path === '' ? source : resolve(vault, source, path) }]
  })
}

function readWiki(inner: string): string {
  return (inner.split(/\\?\|/)[0] ?? '').replace(/#.*/, '').trim()
}

/** The path of an address in the vault; null for an address of something else. */
function readAddress(address: string): string | null {
  const bare = address.replace(/^<|>$/g, '')
  if (/^[a-z]+:|^#/i.test(bare)) return null
  const path = decodeURIComponent(bare.replace(/#.*/, ''))
  return IS_FILE.test(path) ? path : null
}

/** The files of the vaults of tests. */
const IS_FILE = /\.(?:md|png|pdf)$/i

const fold = (path: string) => path.normalize('NFC').toLowerCase()

function resolve(vault: Vault, source: string, link: string): string | null {
  const files = Object.keys(vault)
  const folder = source.split('/').slice(0, -1)
  const wanted = fold(IS_FILE.test(link) ? link : `${link}.md`)
  const exact = (path: string) => files.find((file) => fold(file) === path) ?? null
  if (wanted.startsWith('/')) return exact(wanted.slice(1))
  if (/^\.\.?\//.test(wanted)) {
    const parts = folder.map(fold)
    for (const part of wanted.split('/')) {
      if (part === '..' && parts.pop() === undefined) return null
      if (part !== '..' && part !== '.') parts.push(part)
    }
    return exact(parts.join('/'))
  }
  const beside = exact(fold([...folder, ''].join('/')) + wanted)
  const ending = files.filter((file) => fold(file).endsWith(`/${wanted}`)).toSorted((a, b) => a.length - b.length)
  return exact(wanted) ?? beside ?? ending[0] ?? null
}
