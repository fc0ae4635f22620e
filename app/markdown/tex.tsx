import { type ComponentChild, h, type VNode } from 'preact'
import { type MathElement, readTex } from '../../src/lib/markdown/tex'

/** Makes the elements of a formula; null if it is no TeX. */
export function showTex(tex: string, isBlock: boolean): VNode | null {
  const element = readTex(tex, isBlock)
  return element && showElement(element)
}

function showElement({ name, attributes, style, children }: MathElement): VNode {
  const shown = children.map((child): ComponentChild => (typeof child === 'string' ? child : showElement(child)))
  return h(name, { ...attributes, ...(Object.keys(style).length > 0 ? { style } : {}) }, shown)
}
