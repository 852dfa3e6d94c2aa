import { describe, expect, test } from 'vitest';
import type { Fault, Request } from '../../domains/diagnosis/incident.ts';
import { Service } from '../../domains/diagnosis/service.ts';
import { folder } from './running.ts';

describe('the service', () => {
  const request = (...faults: readonly Fault[]): Request => ({ service: 's', faults, used: 120, customers: ['c'] });
  const { signal } = new AbortController();

  test('shows at its port what its files and rows say, and stops once that is mended', async () => {
    const service = await Service.open(folder(), request('config', 'lock', 'quota', 'certificate', 'queue'));
    const heard = async () => (await service.symptoms(signal)).map(({ says }) => says);
    expect(await heard()).toEqual(['refused', 'refused', 'refused']);
    await service.repair({ cause: 'config', by: null }, 'c');
    expect(await heard()).toEqual(['locked', 'no good certificate', 'stuck']);
    await service.repair({ cause: 'lock', by: null }, 'l');
    await service.repair({ cause: 'certificate', by: null }, 'd');
    expect(service.probe('p')).toEqual({ message: 'job-1.json', freed: true });
    expect(await heard()).toEqual(['over quota']);
    await service.repair({ cause: 'quota', by: 40 }, 'q');
    expect(await heard()).toEqual([]);
    await service.takeBack('c', 'c~undo');
    expect(await heard()).toEqual(['refused', 'refused', 'refused']);
    await service.close();
  });

  test('raises a quota once for each key, and twice without one; what is taken back is what that call has added', async () => {
    const service = await Service.open(folder(), request('quota'));
    const size = () => service.rows().quota?.map((row) => (row as { size: number }).size);
    const raise = (key: string | undefined) => service.repair({ cause: 'quota', by: 40 }, key);
    expect([await raise('k'), await raise('k')]).toEqual([
      { cause: 'quota', now: '140' },
      { cause: 'quota', now: '140' },
    ]);
    await raise(undefined);
    expect([size(), service.rows().work?.length]).toEqual([[180], 2]);
    await service.takeBack('k', 'k~undo');
    await service.takeBack('k', 'k~undo');
    expect([size(), service.rows().work?.length]).toEqual([[140], 1]);
    await service.close();
  });

  test('says why a repair cannot be taken back any more, and does not take it back', async () => {
    const where = folder();
    const service = await Service.open(where, request('lock', 'queue'));
    await service.repair({ cause: 'lock', by: null }, 'l');
    await service.takeBack('l', 'l~undo');
    expect(service.repairMoved('l')).toMatch('locked by nightly-7');
    await expect(service.takeBack('l', 'l~undo-again')).rejects.toThrow('locked by nightly-7');
    service.probe('p');
    await service.repair({ cause: 'queue', by: null }, 'q');
    expect(() => service.release('p')).toThrow('thrown away');
    await service.takeBack('q', 'q~undo');
    service.release('p');
    service.release('p');
    expect(service.rows().queue).toHaveLength(3);
    expect(service.rows().queue?.[0]).toEqual({ message: 'job-1.json', at: 'queue' });
    await service.close();
  });

  test('is as it was when it is opened again', async () => {
    const where = folder();
    const first = await Service.open(where, request('config', 'queue'));
    first.probe('p');
    await first.repair({ cause: 'config', by: null }, 'c');
    const rows = first.rows();
    await first.close();
    const again = await Service.open(where, request('config', 'queue'));
    expect([again.rows(), again.probed('p'), again.repaired('c')?.output]).toEqual([
      rows,
      { message: 'job-1.json', freed: true },
      { cause: 'config', now: '{"workers":4}' },
    ]);
    expect(await again.symptoms(signal)).toEqual([]);
    await again.close();
  });
});
