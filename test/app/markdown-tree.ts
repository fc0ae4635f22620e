import type { ComponentChildren, VNode } from 'preact'
import { type MarkdownActions, showMarkdown } from '../../app/markdown/markdown'

/** An element or component of a virtual tree, by its name; or a text. */
export type Node =
  | string
  | { readonly name: string; readonly props: Readonly<Record<string, unknown>>; readonly children: readonly Node[] }

type Element = Exclude<Node, string>

/** Actions of a page where the note "Known" is there, and no file is ever loaded. */
export function makeActions(changes: Partial<MarkdownActions> = {}): MarkdownActions {
  return {
    resolve: (target, heading) => (target === 'Known' ? `#/notes/1${heading ? `?heading=${heading}` : ''}` : null),
    create: () => undefined,
    loadFile: () => Promise.reject(new Error('No file is loaded in these tests')),
    tagAddress: (tag) => `#/tags/${encodeURIComponent(tag)}`,
    ...changes,
  }
}

/** Reads the virtual tree of a body. Components stay as they are: `Maths`, `MediaFile`, `FileLink`, `Jump`. */
export function treeOf(body: string, actions = makeActions()): Element {
  const [tree] = read(showMarkdown(body, actions))
  if (tree === undefined || typeof tree === 'string') throw new Error('Nothing is shown')
  return tree
}

function read(child: ComponentChildren): Node[] {
  if (child === null || child === undefined || typeof child === 'boolean') return []
  if (Array.isArray(child)) return child.flatMap(read)
  if (typeof child !== 'object') return [String(child)]
  const { type, props } = child as VNode
  const { children, ...rest } = props
  return [{ name: typeof type === 'function' ? type.name : String(type), props: rest, children: read(children) }]
}

/** Lists the elements of a tree in its order. */
export function elementsOf(node: Node): Element[] {
  return typeof node === 'string' ? [] : [node, ...node.children.flatMap(elementsOf)]
}

/** Lists the elements of a name. */
export function find(node: Node, name: string): Element[] {
  return elementsOf(node).filter((element) => element.name === name)
}

/** The text of a tree. Formulas count as their source, and elements end words. */
export function textOf(node: Node): string {
  if (typeof node === 'string') return node
  if (node.name === 'Maths') return ` ${String(node.props.tex)} `
  if (node.name === 'MediaFile') return ` ${String(node.props.label)} `
  return node.children.map(textOf).join('')
}

/** Writes a tree as a short text: `p(a strong(b))`, without attributes. */
export function outlineTree(node: Node): string {
  if (typeof node === 'string') return node
  return `${node.name}(${node.children.map(outlineTree).join('')})`
}
