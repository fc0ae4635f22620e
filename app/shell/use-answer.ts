import { useEffect, useState } from 'preact/hooks'
import { inWords } from '../api/client'

/** Milliseconds that the server has for an answer. */
const TIMEOUT_MS = 30_000

/** What came of a question to the server; `failed` has the sentence why. */
type Loaded<Value> =
  | { readonly is: 'loading' }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'done'; readonly value: Value }

/**
 * Asks the server once when the component is shown, and again by `again`. `set` takes over what a change has made of the
 * value, so that the server is not asked again.
 * @param of when it changes, the server is asked again; what is shown stays until the answer comes
 */
export function useAnswer<Value>(ask: (signal: AbortSignal) => Promise<Value>, of?: unknown) {
  const [answer, setAnswer] = useState<Loaded<Value>>({ is: 'loading' })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const end = new AbortController()
    setAnswer((before) => (before.is === 'done' ? before : { is: 'loading' }))
    ask(AbortSignal.any([end.signal, AbortSignal.timeout(TIMEOUT_MS)])).then(
      (value) => end.signal.aborted || setAnswer({ is: 'done', value }),
      (error: unknown) => end.signal.aborted || setAnswer({ is: 'failed', message: inWords(error) }),
    )
    return () => end.abort()
  }, [turn, of])
  return {
    answer,
    again: () => setTurn((count) => count + 1),
    set: (value: Value) => setAnswer({ is: 'done', value }),
  }
}
