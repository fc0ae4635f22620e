import temml from 'temml'

/** TeX as MathML, by Temml: its tree, reduced to what only shows something. Nothing that an author writes is trusted. */

/** The elements of MathML Core, without those that hold other markup, and the attributes that only change the layout. */
const ELEMENTS = new Set(
  'math merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none menclose'.split(
    ' ',
  ),
)
const ATTRIBUTES = new Set(
  'accent accentunder columnalign columnlines columnspacing columnspan depth dir display displaystyle fence form height largeop linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation rowlines rowspacing rowspan rspace scriptlevel separator stretchy symmetric voffset width'.split(
    ' ',
  ),
)
const STYLES = new Set(
  'backgroundColor border borderBottom borderColor borderLeft borderRight borderStyle borderTop borderWidth color display fontFamily fontSize fontStyle fontWeight height margin marginLeft marginRight mathDepth mathShift mathStyle mathSize minWidth padding paddingBottom paddingLeft paddingRight paddingTop textAlign verticalAlign whiteSpace width'.split(
    ' ',
  ),
)
/** UTF-16 units of a formula; a longer one is shown as its source. */
const MAX_TEX_UNITS = 5000
/** Replacements of macros in one formula, and the size of rules in em. */
const LIMITS = { maxExpand: 500, maxSize: [50, 50] as [number, number] }

/** What temml makes of TeX: elements with these parts, or texts. Its types leave it open. */
interface MathNode {
  readonly type?: string
  readonly text?: string
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly style?: Readonly<Record<string, unknown>>
  readonly classes?: readonly string[]
  readonly children?: readonly MathNode[]
}

export interface MathElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** By the names that scripts have for them. */
  readonly style: Readonly<Record<string, string>>
  readonly children: readonly (MathElement | string)[]
}

/** Reads TeX as MathML, without HTML in it; null if it is no TeX. */
export function readTex(tex: string, isBlock: boolean): MathElement | null {
  if (tex.length > MAX_TEX_UNITS) return null
  try {
    const tree = temml.__renderToMathMLTree(tex, { ...LIMITS, displayMode: isBlock, throwOnError: true })
    const [element] = readNode(tree)
    return typeof element === 'object' ? element : null
  } catch {
    // Whatever temml throws comes from the formula, which then is shown as it is written.
    return null
  }
}

function readNode(node: MathNode): (MathElement | string)[] {
  const children = (node.children ?? []).flatMap(readNode)
  if (node.type === undefined) return node.text === undefined ? children : [node.text]
  if (!ELEMENTS.has(node.type)) return children
  const attributes = Object.entries(node.attributes ?? {}).filter(([name]) => ATTRIBUTES.has(name.toLowerCase()))
  const style = Object.entries(node.style ?? {}).filter(([name, value]) => STYLES.has(name) && isPlain(value))
  // Chromium draws no line of a menclose: style sheets do, by its class.
  const notation = node.type === 'menclose' ? [`tml-${node.attributes?.notation}`] : []
  const classes = [...(node.classes ?? []), ...notation].filter((name) => /^tml-[a-z-]+$/.test(name))
  return [
    {
      name: node.type,
      attributes: {
        ...Object.fromEntries(attributes.map(([name, value]) => [name, String(value)])),
        ...(classes.length > 0 ? { class: classes.join(' ') } : {}),
      },
      style: Object.fromEntries(style.map(([name, value]) => [name, String(value)])),
      children,
    },
  ]
}

/** Writes TeX as MathML; null if it is no TeX. */
export function writeTex(tex: string, isBlock: boolean): string | null {
  const formula = readTex(tex, isBlock)
  return formula && writeElement(formula)
}

function writeElement({ name, attributes, style, children }: MathElement): string {
  const styles = Object.entries(style).map(
    ([property, value]) => `${property.replace(/[A-Z]/g, (sign) => `-${sign.toLowerCase()}`)}:${value}`,
  )
  const all = { ...attributes, ...(styles.length > 0 ? { style: styles.join(';') } : {}) }
  const written = Object.entries(all).map(([attribute, value]) => ` ${attribute}="${Bun.escapeHTML(value)}"`)
  const content = children.map((child) => (typeof child === 'string' ? Bun.escapeHTML(child) : writeElement(child)))
  return `<${name}${written.join('')}>${content.join('')}</${name}>`
}

/** Whether a value of a style loads nothing. */
function isPlain(value: unknown): boolean {
  return !/[(\\;]/.test(String(value).replace(/\b(?:rgb|calc)\(/g, ''))
}
