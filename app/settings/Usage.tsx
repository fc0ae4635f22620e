import { clockTime, sizeInWords } from '../../public/in-words.js'
import type { Usage } from '../api/types'
import { useWorkspace } from '../data/use-workspace'
import { Failure } from '../shell/Failure'
import { useAnswer } from '../shell/use-answer'
import { reader, say } from '../words/say'
import { HoursChart } from './HoursChart'
import { Section } from './Section'
import { kindInWords } from './words'

/** The requests of the hour and of two days, and how full the workspace is. */
export function UsageFigures() {
  const { api } = useWorkspace()
  const { answer, again } = useAnswer((signal) => api.call<Usage>({ path: 'api/usage', signal }))
  return (
    <Section title={say`Usage`} isBusy={answer.is === 'loading'}>
      {answer.is === 'loading' && <p class="quiet">{say`Loading …`}</p>}
      {answer.is === 'failed' && <Failure message={answer.message} again={again} />}
      {answer.is === 'done' && <Figures usage={answer.value} />}
    </Section>
  )
}

function Figures({ usage: { limit, remaining, reset_seconds, workspace, history } }: { usage: Usage }) {
  const { resources, size_bytes, quotas } = workspace
  const used = limit - remaining
  const end = clockTime(new Date(Date.now() + 1000 * reset_seconds), reader)
  return (
    <>
      <dl class="figures">
        <Figure name={say`Requests this hour`} share={used / limit}>
          {used > 0 ? say`${used} of ${limit}; full again at ${end}` : say`${used} of ${limit}`}
        </Figure>
        <Figure name={say`Items`} share={resources / quotas.resources}>
          {say`${resources} of ${quotas.resources}`}
        </Figure>
        <Figure name={say`Size`} share={size_bytes / quotas.size_bytes}>
          {say`${sizeInWords(size_bytes, reader)} of ${sizeInWords(quotas.size_bytes, reader)}`}
        </Figure>
        <div>
          <dt>{say`Kind`}</dt>
          <dd>{kindInWords(workspace, new Date())}</dd>
        </div>
      </dl>
      <HoursChart hours={history} />
    </>
  )
}

/** @param share from 0 to 1, drawn below the words */
function Figure({ name, share, children }: { name: string; share: number; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        <span class="gauge" aria-hidden="true">
          <span style={{ width: `${Math.min(100, 100 * share)}%` }} />
        </span>
      </dd>
    </div>
  )
}
