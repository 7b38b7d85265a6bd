import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	JsonObject,
} from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes, NodeOperationError, sleep } from 'n8n-workflow';

import { properties } from './properties';

const ACTIVE = ['queued', 'running'];
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;

interface Request {
	method: IHttpRequestMethods;
	path: string;
	body?: IDataObject;
	query?: IDataObject;
	headers?: IDataObject;
}

async function send(
	context: IExecuteFunctions,
	index: number,
	request: Request,
): Promise<IDataObject> {
	const { baseUrl } = await context.getCredentials('trawlApi', index);
	try {
		return (await context.helpers.httpRequestWithAuthentication.call(context, 'trawlApi', {
			method: request.method,
			url: `${String(baseUrl).replace(/\/+$/, '')}${request.path}`,
			json: true,
			...(request.body && { body: request.body }),
			...(request.query && { qs: request.query }),
			...(request.headers && { headers: request.headers }),
		})) as IDataObject;
	} catch (error) {
		throw new NodeApiError(context.getNode(), error as JsonObject, { itemIndex: index });
	}
}

/** Starts a job. A repeated attempt of the same step of an execution starts no second one. */
async function start(context: IExecuteFunctions, index: number): Promise<IDataObject> {
	const mode = context.getNodeParameter('mode', index) as string;
	const target = context.getNodeParameter('target', index) as string;
	const more = context.getNodeParameter('request', index, '{}') as string | IDataObject;
	const body: IDataObject = { ...(typeof more === 'string' ? JSON.parse(more) : more), mode };
	if (mode === 'contacts') {
		body.domains = target.split(/[\s,]+/).filter(Boolean);
		body.legal_basis_accepted = context.getNodeParameter('legalBasis', index) as boolean;
	} else {
		body.url = target;
	}
	const sampleSize = context.getNodeParameter('sampleSize', index) as number;
	if (sampleSize > 0) {
		body.options = { ...(body.options as IDataObject), sample_size: sampleSize };
	}
	const run = context.getWorkflowDataProxy(index).$runIndex as number;
	const key = [context.getExecutionId(), context.getNode().id, run, index].join('-');
	return await send(context, index, {
		method: 'POST',
		path: '/v1/jobs',
		body,
		headers: { 'Idempotency-Key': key },
	});
}

/** Polls until the job has completed. */
async function wait(context: IExecuteFunctions, index: number, id: string): Promise<IDataObject> {
	for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
		const job = await send(context, index, { method: 'GET', path: `/v1/jobs/${id}` });
		if (job.status === 'completed') return job;
		if (!ACTIVE.includes(job.status as string)) {
			const error = job.error as IDataObject | null;
			const reason = error ? `${String(error.code)}: ${String(error.message)}` : 'it waits for confirm';
			throw new NodeOperationError(context.getNode(), `${id} ${String(job.status)}: ${reason}`, {
				itemIndex: index,
			});
		}
		await sleep(pause);
	}
}

async function results(
	context: IExecuteFunctions,
	index: number,
	id: string,
): Promise<IDataObject[]> {
	const isAll = context.getNodeParameter('returnAll', index) as boolean;
	const limit = isAll ? Infinity : (context.getNodeParameter('limit', index) as number);
	const items: IDataObject[] = [];
	while (items.length < limit) {
		const page = await send(context, index, {
			method: 'GET',
			path: `/v1/jobs/${id}/results`,
			query: { offset: items.length },
		});
		items.push(...(page.items as IDataObject[]));
		if (!page.has_more) break;
	}
	return items.slice(0, limit);
}

async function operate(context: IExecuteFunctions, index: number): Promise<IDataObject[]> {
	const operation = context.getNodeParameter('operation', index) as string;
	if (operation === 'crawl') {
		const job = await start(context, index);
		await wait(context, index, job.job_id as string);
		return await results(context, index, job.job_id as string);
	}
	if (operation === 'start') return [await start(context, index)];
	const id = encodeURIComponent(context.getNodeParameter('jobId', index) as string);
	if (operation === 'getResults') return await results(context, index, id);
	const method = operation === 'get' ? 'GET' : 'POST';
	const path = operation === 'get' ? `/v1/jobs/${id}` : `/v1/jobs/${id}/${operation}`;
	return [await send(context, index, { method, path })];
}

export class Trawl implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Trawl',
		name: 'trawl',
		icon: 'file:trawl.svg',
		group: ['input'],
		version: 1,
		subtitle: '={{$parameter["operation"]}}',
		description: 'Crawl websites: links, sitemaps, Markdown, products, contacts',
		defaults: {
			name: 'Trawl',
		},
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'trawlApi', required: true }],
		properties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const output: INodeExecutionData[] = [];
		for (let index = 0; index < this.getInputData().length; index++) {
			try {
				for (const json of await operate(this, index)) {
					output.push({ json, pairedItem: { item: index } });
				}
			} catch (error) {
				if (!this.continueOnFail()) throw error;
				const json = { error: (error as Error).message };
				output.push({ json, pairedItem: { item: index } });
			}
		}
		return [output];
	}
}
