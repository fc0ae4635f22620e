import { useEffect, useState } from 'preact/hooks'
import { inWords, type Request } from '../api/client'
import { useWorkspace } from '../data/use-workspace'

export type Loaded<Answer> =
  | { readonly is: 'loading' }
  | { readonly is: 'there'; readonly answer: Answer }
  | { readonly is: 'failed'; readonly message: string }

/**
 * Sends requests when a component is shown, and again when one of them has another path or query, or after `retry`. They
 * fail together.
 */
export function useAnswers<Answers extends readonly unknown[]>(
  requests: readonly Request[],
): { readonly state: Loaded<Answers>; readonly retry: () => void } {
  const { api } = useWorkspace()
  const [state, setState] = useState<Loaded<Answers>>({ is: 'loading' })
  const [tries, setTries] = useState(0)
  useEffect(() => {
    const end = new AbortController()
    setState({ is: 'loading' })
    Promise.all(requests.map((request) => api.call({ ...request, signal: end.signal }))).then(
      (answer) => setState({ is: 'there', answer: answer as unknown as Answers }),
      (error: unknown) => {
        if (!end.signal.aborted) setState({ is: 'failed', message: inWords(error) })
      },
    )
    return () => end.abort()
  }, [api, tries, JSON.stringify(requests)])
  return { state, retry: () => setTries((count) => count + 1) }
}
