import sanitizeHtml from 'sanitize-html'
import { readMarks } from '../../lib/markdown/maths.ts'
import { reduceDeclarations } from './styles'

/**
 * TeX as MathML, by Temml. It trusts nothing (no addresses, no attributes of the author), and what it writes passes an
 * allow-list all the same.
 */

/** UTF-16 units of one formula. */
const MAX_TEX_UNITS = 4096
/** UTF-16 units of the MathML of one side; formulas after the one that exceeds it are shown as they are. */
const MAX_MATHML_UNITS = 512 * 1024
/** Expansions of macros in one formula: `\def` can double a text any number of times. */
const MAX_EXPANSIONS = 1000
/** The largest size that TeX may ask for, in em. */
const MAX_SIZE_EM = 20

const ELEMENTS =
  'math maction menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover semantics'.split(
    ' ',
  )
const ATTRIBUTES =
  'accent accentunder class columnalign columnlines columnspacing columnspan depth dir display displaystyle fence form framespacing height largeop linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation rowalign rowlines rowspacing rowspan rspace scriptlevel separator stretchy style symmetric voffset width'.split(
    ' ',
  )
const ALLOWLIST: sanitizeHtml.IOptions = {
  allowedTags: ELEMENTS,
  allowedAttributes: { '*': ATTRIBUTES },
  parseStyleAttributes: false,
  transformTags: {
    '*': (tagName, { style, ...attribs }) => {
      const kept = style === undefined ? '' : reduceDeclarations(style)
      return { tagName, attribs: kept === '' ? attribs : { ...attribs, style: kept } }
    },
  },
}

/** What the classes of Temml need beside the MathML. */
export const MATHS_CSS =
  '.tml-display{margin:.4em 0}.tml-left{text-align:left}.tml-right{text-align:right}.tml-overline{border-top:.06em solid}.tml-underline{border-bottom:.06em solid}.tml-cancel.upstrike{background:linear-gradient(to bottom right,transparent 46%,currentcolor 46%,currentcolor 54%,transparent 54%)}'

export type WriteMaths = (maths: string) => string

/** Loads Temml, on first use, and returns what writes the formulas of one card, with their marks, as HTML. */
export async function createMathsWriter(): Promise<WriteMaths> {
  const { default: temml } = await import('temml')
  let room = MAX_MATHML_UNITS
  const write = (tex: string, displayMode: boolean): string | null => {
    if (tex.length > MAX_TEX_UNITS || room < 0) return null
    const options = { displayMode, throwOnError: true, trust: false, maxExpand: MAX_EXPANSIONS }
    try {
      const mathml = temml.renderToString(tex, { ...options, maxSize: [MAX_SIZE_EM, MAX_SIZE_EM] })
      room -= mathml.length
      return sanitizeHtml(mathml, ALLOWLIST)
    } catch {
      // Temml throws errors of many kinds for TeX that it does not know, or that is nested too deep.
      return null
    }
  }
  return (maths) => {
    const { tex, kind } = readMarks(maths)
    const written = kind === 'text' ? writeLatex(tex, write) : write(tex, kind === 'display')
    return written ?? Bun.escapeHTML(maths)
  }
}

const INNER = /(?<!\\)(\$\$?|\\\(|\\\[)((?:\\\$|[^$]){1,4096}?)(?:\$\$?|\\\)|\\\])/g

/** Writes the text of a LaTeX document: its maths, or if it marks none, all of it as one formula. */
function writeLatex(text: string, write: (tex: string, displayMode: boolean) => string | null): string | null {
  const parts = [...text.matchAll(INNER)]
  if (parts.length === 0) return write(text, true)
  let from = 0
  let html = ''
  for (const { 0: part, 1: mark, 2: tex = '', index } of parts) {
    html += writeText(text.slice(from, index))
    html += write(tex, mark === '$$' || mark === '\\[') ?? Bun.escapeHTML(part)
    from = index + part.length
  }
  return html + writeText(text.slice(from))
}

/** Writes text of LaTeX, where a dollar needs a backslash. */
function writeText(text: string): string {
  return Bun.escapeHTML(text.replaceAll('\\$', '$'))
}
