/** The inspector's page: where it is, and what is shown there. */
import { signal } from '@preact/signals';
import { render } from 'preact';
import { listen, live, lost, takeToken } from './api.ts';
import { ConfigsPage } from './configs.tsx';
import { RunPage } from './run.tsx';
import { RunsPage } from './runs.tsx';

const place = signal('/');

function Page() {
  if (lost.value !== null)
    return (
      <main>
        <h1>Belay inspector</h1>
        <p role="alert" class="problem">
          {lost.value}
        </p>
      </main>
    );
  return (
    <>
      <header class="bar">
        <nav aria-label="Pages">
          <a class="brand" href="#/">
            Belay
          </a>
          <a href="#/" aria-current={place.value === '/' ? 'page' : undefined}>
            Runs
          </a>
          <a href="#/configs" aria-current={place.value === '/configs' ? 'page' : undefined}>
            Configs
          </a>
        </nav>
        <span class={`live ${live.value ? 'on' : ''}`} role="status">
          <span aria-hidden="true">●</span> {live.value ? 'live' : 'not connected'}
        </span>
      </header>
      <main>{shown(place.value)}</main>
    </>
  );
}

function shown(path: string) {
  const [, room, id = '', view = '', rest = ''] = path.split('/');
  if (room === 'run' && id !== '') return <RunPage key={id} id={id} view={view} rest={rest} />;
  return room === 'configs' ? <ConfigsPage /> : <RunsPage />;
}

function go(): void {
  place.value = location.hash.replace(/^#/, '') || '/';
}

takeToken();
addEventListener('hashchange', () => {
  go();
  scrollTo(0, 0);
});
go();
const root = document.getElementById('page');
if (root !== null) {
  root.replaceChildren();
  render(<Page />, root);
}
void listen();
