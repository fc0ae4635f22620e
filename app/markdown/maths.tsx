import { useEffect, useState } from 'preact/hooks'
import { say } from '../words/say'
import type { showTex } from './tex'

/** Loaded when the first formula is shown: it is larger than the rest of the page. */
let tex: { readonly show: typeof showTex } | null = null

/** Shows a formula of TeX as MathML; its source until the module for it is there, or if it is no TeX. */
export function Maths({ tex: source, isBlock }: { tex: string; isBlock: boolean }) {
  const [loaded, setLoaded] = useState(tex)
  useEffect(() => {
    if (loaded) return
    import('./tex').then(
      ({ showTex }) => {
        tex = { show: showTex }
        setLoaded(tex)
      },
      // Without network the source of the formula stays, and the next formula tries again.
      () => undefined,
    )
  }, [loaded])
  const shown = loaded?.show(source, isBlock) ?? <code dir="ltr">{source}</code>
  if (!isBlock) return shown
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard could not scroll a long formula
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls
    <span class="md-maths" role="group" aria-label={say`Formula`} tabIndex={0}>
      {shown}
    </span>
  )
}
